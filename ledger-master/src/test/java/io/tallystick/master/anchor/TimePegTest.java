package io.tallystick.master.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.time.TimeTokens;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Goal: ledgers that change are anchored in time, those that rest are not, and no failure outside
/// is the node's. Method: real authorities on loopback, ledgers in memory; most tests take the
/// rounds of the peg themselves.
class TimePegTest {
  private static final TimeTokens TOKENS = new Rfc3161Tokens();
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("A");
  private static final AnchorSchedule SCHEDULE = new AnchorSchedule(100, Duration.ofSeconds(60));
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final MemoryTimeJournals journals = new MemoryTimeJournals();
  private final SeenByWatch watch = new SeenByWatch();
  private final AtomicLong nanoTime = new AtomicLong();
  private AuthorityServer first;
  private AuthorityServer second;
  private TimePeg peg;

  @BeforeEach
  void open() throws IOException {
    first = new AuthorityServer(AuthorityServer.honest(AUTHORITY));
    second = new AuthorityServer(AuthorityServer.honest(AUTHORITY));
    peg = peg(TIMEOUT, first.uri(), second.uri());
  }

  private TimePeg peg(Duration timeout, URI... urls) {
    return new TimePeg(
        journals,
        new TimeAuthorities(
            TOKENS,
            new AuthoritySettings(List.of(urls), AUTHORITY.trusted(), null, timeout),
            System::currentTimeMillis,
            nanoTime::get,
            watch),
        SCHEDULE,
        System::currentTimeMillis,
        watch);
  }

  @AfterEach
  void close() {
    peg.close();
    first.close();
    second.close();
  }

  private static long agoMs(int seconds) {
    return Instant.now().minusSeconds(seconds).toEpochMilli();
  }

  private List<StrandId> anchored() {
    return journals.anchors().stream().map(TimeAnchor::strand).toList();
  }

  private static StrandId strand(int number) {
    return new StrandId(MemoryTimeJournals.ledger(number), 0);
  }

  @Test
  void anchorsByCountAndAgeAndTheFirstTimeAtOnce() throws Exception {
    journals.write(1, false, 99, agoMs(50));
    journals.write(2, false, 100, agoMs(0));
    journals.write(3, false, 1, agoMs(61));
    journals.write(4, true, 1, agoMs(0));
    assertThat(peg.round()).isTrue();
    assertThat(anchored()).containsExactlyInAnyOrder(strand(2), strand(3), strand(4));
    assertThat(peg.round()).isTrue();
    assertThat(journals.anchors()).hasSize(3);
    assertThat(peg.status().waitingSince().orElseThrow()).isLessThan(agoMs(49));
  }

  /// Goal: what is journalled is the head that the node gave, and the token is of its three lines.
  @Test
  void theTokenIsOfTheHeadsThreeLines() throws Exception {
    journals.write(7, true, 1, agoMs(0));
    UnanchoredHead head = journals.unanchored(null, 1).getFirst();
    peg.round();
    TimeAnchor anchor = journals.anchors().getFirst();
    assertThat(anchor.head()).isEqualTo(head.head());
    Digest imprint = Sha256.hash(Bytes.utf8(head.head().text()).toArray());
    assertThat(
            TOKENS
                .verify(((TimeProof.Token) anchor.proof()).der(), imprint, AUTHORITY.trusted())
                .genTimeMs())
        .isEqualTo(anchor.provenMs());
  }

  @Test
  void asksNobodyWhenNothingHappens() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(peg.round()).isTrue();
    }
    assertThat(first.asked() + second.asked()).isZero();
    assertThat(peg.status()).isEqualTo(AnchorStatus.NONE);
  }

  @Test
  void goesThroughMoreLedgersThanAPageHas() throws Exception {
    for (int i = 0; i < 1_001; i++) {
      journals.write(i, false, i == 1_000 ? 100 : 1, agoMs(0));
    }
    assertThat(peg.round()).isTrue();
    assertThat(anchored()).containsExactly(strand(1_000));
  }

  @Test
  void whileOneAuthorityLiesAnotherAnchors() throws Exception {
    first.behave(
        AuthorityServer.stamping(
            AUTHORITY, recipe -> recipe.at(Instant.now().minus(Duration.ofHours(1)))));
    for (int i = 1; i <= 10; i++) {
      journals.write(i, true, 1, agoMs(0));
      assertThat(peg.round()).isTrue();
      assertThat(journals.anchors()).hasSize(i);
    }
    assertThat(watch.seen()).contains("skewed");
    assertThat(first.asked()).isEqualTo(3);
    first.behave(AuthorityServer.honest(AUTHORITY));
    nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
    journals.write(11, true, 1, agoMs(0));
    int before = first.asked();
    peg.round();
    assertThat(first.asked()).isEqualTo(before + 1);
    assertThat(anchored()).hasSize(11);
  }

  @Test
  void whenAllAuthoritiesFailNothingIsJournalledAndTheReasonShows() throws Exception {
    first.behave(AuthorityServer.of(404, "text/plain"));
    second.behave(AuthorityServer.stamping(AUTHORITY, recipe -> recipe.with(List.of())));
    journals.write(1, true, 1, agoMs(5));
    for (int i = 0; i < 5; i++) {
      assertThat(peg.round()).isFalse();
    }
    assertThat(journals.anchors()).isEmpty();
    assertThat(peg.status().failing()).isTrue();
    assertThat(peg.status().lastFailure()).isEqualTo("no_chain");
    assertThat(peg.status().waitingSince().orElseThrow()).isLessThan(agoMs(4));
    second.behave(AuthorityServer.honest(AUTHORITY));
    nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
    assertThat(peg.round()).isTrue();
    assertThat(peg.status().failing()).isFalse();
    assertThat(peg.status().lastAnchor()).isPresent();
    assertThat(journals.anchors()).hasSize(1);
  }

  /// Goal: no append can wait for an authority. Method: while one is asked, no call of the node is
  /// under way.
  @Test
  void holdsNothingOfTheNodeWhileAnAuthorityIsAsked() throws Exception {
    AtomicInteger held = new AtomicInteger(-1);
    first.behave((exchange, query) -> {
      Thread.sleep(300);
      held.set(journals.calls());
      AuthorityServer.honest(AUTHORITY).answer(exchange, query);
    });
    journals.write(1, true, 1, agoMs(0));
    peg.round();
    assertThat(held).hasValue(0);
    assertThat(journals.anchors()).hasSize(1);
  }

  @Test
  void aLedgerThatTakesNoJournalHoldsUpNoOther() throws Exception {
    journals.write(1, true, 1, agoMs(0));
    journals.write(2, true, 1, agoMs(0));
    journals.refuse(1);
    assertThat(peg.round()).as("the next round had better wait").isFalse();
    assertThat(anchored()).containsExactly(strand(2));
    assertThat(watch.seen()).containsExactlyInAnyOrder("anchored", "refused storage_full");
    assertThat(peg.status().lastFailure()).isEqualTo("storage_full");
  }

  /// Goal: the peg outlives a fault of the node. Method: its own thread, which looks again and
  /// again.
  @Test
  void goesOnAfterAFault() throws Exception {
    journals.breakDown(true);
    peg.start();
    awaitSeen("fault");
    assertThat(peg.status().lastFailure()).isEqualTo("internal");
    journals.breakDown(false);
    journals.write(1, true, 1, agoMs(0));
    awaitSeen("anchored");
  }

  private void awaitSeen(String event) throws InterruptedException {
    Waiting.until("seen: " + event, () -> watch.seen().contains(event));
  }

  /// Goal: a service ends in time whatever its authorities do.
  @Test
  void closesWhileAnAuthorityIsSilent() throws Exception {
    first.behave(AuthorityServer.silent());
    journals.write(1, true, 1, agoMs(0));
    peg.start();
    Waiting.until("the authority is asked", () -> first.asked() > 0);
    long before = System.nanoTime();
    peg.close();
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(10));
    assertThat(journals.anchors()).isEmpty();
  }

  @Test
  void aScheduleThatNeverOrAlwaysAnchorsIsRefused() {
    assertThatThrownBy(() -> new AnchorSchedule(0, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new AnchorSchedule(1, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
