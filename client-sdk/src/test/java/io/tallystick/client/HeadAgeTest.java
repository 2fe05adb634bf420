package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.tallystick.client.failure.StaleHeadException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.VerifiedBlock;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.model.Jsn;
import io.tallystick.model.TreeSize;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client that says how old a head may be reads nothing under an older one, and knows how
/// old it is. Method: a service that stands still, and a reader whose clock goes on.
class HeadAgeTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private Path home;
  private ServiceFixture fixture;
  private VerifiedReceipt kept;
  private Duration ahead = Duration.ZERO;
  private TallyClient reader;

  @BeforeEach
  void start() throws TallyException {
    fixture = new ServiceFixture(home.resolve("writer"));
    kept = fixture.ledger.append(JournalDraft.text("kept").withClues(List.of("c")));
    reader =
        TallyClient.over(
            Grpc.newChannelBuilder(fixture.service.target(), InsecureChannelCredentials.create())
                .build(),
            ClientConfig.of(fixture.service.target(), home.resolve("reader"))
                .withRetry(ServiceFixture.FAST)
                .withMaxHeadAge(LIMIT),
            () -> Instant.now().plus(ahead));
  }

  @AfterEach
  void stop() {
    reader.close();
    fixture.close();
  }

  private static StaleHeadException stale(ThrowingCallable read) {
    StaleHeadException failure = catchThrowableOfType(StaleHeadException.class, read);
    assertThat(failure).isNotNull();
    return failure;
  }

  @Test
  void saysWhenTheNewestHeadWasSealed() throws TallyException {
    LedgerHandle ledger = reader.open(fixture.id());
    assertThat(ledger.newestSeen()).isEmpty();
    VerifiedBlock newest = ledger.newestBlock();
    assertThat(ledger.newestSeen()).contains(newest);
    assertThat(newest.sealedAt()).isEqualTo(Instant.ofEpochMilli(kept.timeMs()));
    Instant later = newest.sealedAt().plusSeconds(90);
    assertThat(newest.age(() -> later).age()).isEqualTo(Duration.ofSeconds(90));
    assertThat(newest.age(() -> later).text()).endsWith("Z, 1 min 30 s ago");
    Instant earlier = newest.sealedAt().minusSeconds(3);
    assertThat(newest.age(() -> earlier).age()).isZero();
    assertThat(newest.age(() -> earlier).text()).contains("3 s ahead of this machine's clock");
    assertThat(ledger.lineage("c").block().sealedAt()).isEqualTo(newest.sealedAt());
  }

  @Test
  void readsNothingUnderAHeadThatIsTooOld() throws TallyException {
    LedgerHandle ledger = reader.open(fixture.id());
    Jsn jsn = kept.jsn();
    List<ThrowingCallable> reads =
        List.of(
            ledger::checkpoint,
            ledger::newestBlock,
            ledger::members,
            () -> ledger.block(0),
            () -> ledger.blockOf(jsn),
            () -> ledger.get(jsn),
            () -> ledger.get(List.of(jsn)),
            () -> ledger.list(new Jsn(0), 10),
            () -> ledger.receipt(jsn),
            () -> ledger.verify(kept.toFile()),
            () -> ledger.verify(jsn),
            () -> ledger.verify("c"),
            () -> ledger.clue("c"),
            () -> ledger.lineage("c"),
            () -> ledger.lineageAsOf("c", new TreeSize(2)),
            () -> ledger.lineageFile("c"),
            () -> ledger.walkLineage("c", LineageRange.forwards()),
            () -> ledger.membership("c", jsn));
    for (ThrowingCallable read : reads) {
      assertThat(catchThrowableOfType(TallyException.class, read)).isNull();
    }
    ahead = LIMIT.plusHours(1);
    for (ThrowingCallable read : reads) {
      StaleHeadException failure = stale(read);
      assertThat(failure.sealedAt()).isEqualTo(Instant.ofEpochMilli(kept.timeMs()));
      assertThat(failure.age()).isGreaterThan(LIMIT);
      assertThat(failure.ageMax()).isEqualTo(LIMIT);
      assertThat(failure).hasMessageContaining(failure.sealedAt() + ", 1 h 5 min");
    }
  }

  @Test
  void looksForANewerHeadBeforeItFails() throws TallyException {
    LedgerHandle ledger = reader.open(fixture.id());
    assertThat(ledger.get(kept.jsn()).body()).isPresent();
    ahead = LIMIT.plusHours(1);
    fixture.service.clockOffsetMs = ahead.toMillis();
    try (TallyClient later =
        TallyClient.over(
            Grpc.newChannelBuilder(fixture.service.target(), InsecureChannelCredentials.create())
                .build(),
            ClientConfig.of(fixture.service.target(), home.resolve("later")),
            () -> Instant.now().plus(ahead))) {
      later.open(fixture.id(), fixture.owner).append(JournalDraft.text("newer"));
    }
    assertThat(ledger.get(kept.jsn()).body()).isPresent();
  }

  /// A ledger to which nothing was appended for long is met and written to as any other.
  @Test
  void opensAndAppendsWhateverTheAge() throws TallyException {
    ahead = LIMIT.plusHours(1);
    fixture.service.clockOffsetMs = ahead.toMillis();
    LedgerHandle ledger = reader.open(fixture.id(), fixture.owner);
    stale(() -> ledger.get(kept.jsn()));
    assertThat(ledger.append(JournalDraft.text("the first for long")).jsn().value()).isEqualTo(4);
    assertThat(ledger.get(kept.jsn()).body()).isPresent();
  }
}
