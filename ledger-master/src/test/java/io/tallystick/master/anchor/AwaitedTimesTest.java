package io.tallystick.master.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.TimeProof;
import io.tallystick.master.anchor.TimeRequests.Granted;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.NodeChange;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.note.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: a time that a member wants through a proxy comes while its ledger is written, and what the
/// master refuses is told as the master says it. Method: a proxy's requests and a master's, with an
/// owner in memory between them; an append behind each time journal.
class AwaitedTimesTest {
  private static final StrandId STRAND = new StrandId(MemoryTimeJournals.ledger(1), 0);
  private static final Duration WAIT_MAX = Duration.ofSeconds(25);

  private final MemoryTimeJournals journals = new MemoryTimeJournals();
  private final WishedNode node = new WishedNode(journals, this::write);
  private final Stamping authority = new Stamping(node);
  private final TimeRequests proxy = requests(new AwaitedTimes(node, WAIT_MAX));
  private WantedTimes master = new WantedTimes(node, requests(authority));

  /// Stamps at once, or never.
  private static final class Stamping implements TimeSource {
    private final WishedNode node;
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean failing;

    Stamping(WishedNode node) {
      this.node = node;
    }

    @Override
    public boolean takes(LedgerId ledger) {
      return true;
    }

    @Override
    public StampedHead stamp(StrandId strand, Checkpoint head)
        throws NoTimeException, RequestRejectedException {
      asked.incrementAndGet();
      if (failing) {
        throw new NoTimeException(List.of(new TimeFailure("tsa", "slow")));
      }
      TimeAnchor anchor =
          new TimeAnchor(strand, head, new TimeProof.Token(Bytes.utf8("token")), 1_000);
      AnchoredAt landed = node.change(new NodeChange.AppendTime(anchor));
      return new StampedHead(landed.jsn(), landed.timeMs(), 1_000, head);
    }
  }

  private TimeRequests requests(TimeSource... sources) {
    return new TimeRequests(node.timeJournals(), List.of(sources), System::nanoTime, _ -> {});
  }

  @AfterEach
  void close() {
    proxy.close();
    master.close();
  }

  private void write() {
    journals.write(1, false, 1, 0);
  }

  private static Granted got(CompletableFuture<Granted> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  private RequestRejectedException refusal(TimeRequests requests) throws Exception {
    CompletableFuture<Granted> answer = requests.request(STRAND);
    ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> got(answer));
    return (RequestRejectedException) Objects.requireNonNull(failure.getCause());
  }

  @Test
  void aTimeComesThoughTheLedgerIsWritten() throws Exception {
    master.start();
    write();
    Checkpoint head = journals.newest(STRAND).head();
    Granted granted = got(proxy.request(STRAND));
    assertThat(granted.existed()).isFalse();
    assertThat(granted.stamped().head()).isEqualTo(head);
    assertThat(journals.newest(STRAND).covering()).as("covering").isEmpty();
    assertThat(node.wishesMade).hasValue(1);
    assertThat(authority.asked).hasValue(1);
  }

  /// Another proxy has not heard of the time that came.
  @Test
  void aRateIsTheMasters() throws Exception {
    master.start();
    write();
    Granted _ = got(proxy.request(STRAND));
    write();
    try (TimeRequests other = requests(new AwaitedTimes(node, WAIT_MAX))) {
      RequestRejectedException early = refusal(other);
      assertThat(early.code()).isEqualTo(RejectionCode.RATE_LIMITED);
      assertThat(early.retryAfterMs().orElseThrow()).isBetween(30_000L, 60_001L);
    }
    assertThat(authority.asked).hasValue(1);
  }

  @Test
  void aMasterThatAsksNobodySaysSo() throws Exception {
    master.close();
    master = new WantedTimes(node, requests());
    master.start();
    write();
    for (int i = 0; i < 2; i++) { // it costs no minute
      assertThat(refusal(proxy).code()).isEqualTo(RejectionCode.TIME_NOT_CONFIGURED);
    }
  }

  @Test
  void aFailureIsTheMastersAndItsRoundsGoOn() throws Exception {
    node.failing.set(1);
    authority.failing = true;
    master.start();
    write();
    RequestRejectedException none = refusal(proxy);
    assertThat(none.code()).isEqualTo(RejectionCode.TIME_NOT_STAMPED);
    assertThat(none).hasMessageContaining("tsa: slow");
    assertThat(none.retryAfterMs()).hasValue(30_000);
    authority.failing = false;
    assertThat(got(proxy.request(STRAND)).existed()).isFalse();
  }

  @Test
  void withoutAMasterTheWaitEnds() throws Exception {
    write();
    try (TimeRequests other = requests(new AwaitedTimes(node, Duration.ofMillis(200)))) {
      assertThat(refusal(other)).hasMessage("no time came of master: no_answer");
    }
  }
}
