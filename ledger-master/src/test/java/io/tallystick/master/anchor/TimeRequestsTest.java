package io.tallystick.master.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.journal.TimeProof;
import io.tallystick.master.anchor.TimeRequests.Granted;
import io.tallystick.master.anchor.TimeRequests.Outcome;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.note.Checkpoint;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: of one ledger one request is open and one a minute is made, whoever asks, and each is
/// answered. Method: ledgers in memory, sources that wait for the test or fail.
class TimeRequestsTest {
  private final MemoryTimeJournals journals = new MemoryTimeJournals();
  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final List<Outcome> outcomes = new CopyOnWriteArrayList<>();
  private final Semaphore stamps = new Semaphore(0);
  private final Source first = new Source("first");
  private final Source second = new Source("second");
  private final TimeRequests requests = requests(first, second);

  private TimeRequests requests(TimeSource... sources) {
    return new TimeRequests(Optional.of(journals), List.of(sources), nanoTime::get, outcomes::add);
  }

  /// Stamps when the test lets it.
  private final class Source implements TimeSource {
    private final String name;
    private volatile boolean failing;
    private volatile boolean overtaken;

    Source(String name) {
      this.name = name;
    }

    @Override
    public boolean takes(LedgerId ledger) {
      return !ledger.equals(MemoryTimeJournals.ledger(99));
    }

    @Override
    public StampedHead stamp(StrandId strand, Checkpoint head)
        throws NoTimeException, RequestRejectedException, InterruptedException {
      stamps.acquire();
      if (failing) {
        throw new NoTimeException(List.of(new TimeFailure(name, "slow")));
      }
      TimeAnchor anchor =
          new TimeAnchor(strand, head, new TimeProof.Token(Bytes.utf8(name)), 1_000);
      if (overtaken) {
        AnchoredAt _ = journals.append(anchor);
      }
      AnchoredAt landed = journals.append(anchor);
      return new StampedHead(landed.jsn(), landed.timeMs(), 1_000, head);
    }
  }

  @AfterEach
  void close() {
    requests.close();
  }

  private static StrandId strand(int number) {
    return new StrandId(MemoryTimeJournals.ledger(number), 0);
  }

  private static Granted got(CompletableFuture<Granted> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  private static RequestRejectedException refusal(CompletableFuture<Granted> answer) {
    ExecutionException failure = catchThrowableOfType(ExecutionException.class, () -> got(answer));
    return (RequestRejectedException) Objects.requireNonNull(failure.getCause());
  }

  private RequestRejectedException refused(StrandId strand) {
    try {
      throw new AssertionError(requests.request(strand));
    } catch (RequestRejectedException e) {
      return e;
    }
  }

  @Test
  void aHeadIsStampedOnceForAllWhoAsk() throws Exception {
    journals.write(1, false, 1, 0);
    CompletableFuture<Granted> one = requests.request(strand(1));
    CompletableFuture<Granted> two = requests.request(strand(1));
    stamps.release();
    assertThat(got(one).existed()).isFalse();
    assertThat(got(two)).isEqualTo(got(one));
    assertThat(journals.anchors()).hasSize(1);
    assertThat(got(requests.request(strand(1)))).isEqualTo(new Granted(got(one).stamped(), true));
    assertThat(outcomes).containsExactly(Outcome.STAMPED, Outcome.EXISTED);
  }

  @Test
  void aNewerHeadWaitsForTheOneBeforeAndForAMinute() throws Exception {
    journals.write(1, false, 1, 0);
    CompletableFuture<Granted> one = requests.request(strand(1));
    journals.write(1, false, 1, 0);
    RequestRejectedException open = refused(strand(1));
    assertThat(open.code()).isEqualTo(RejectionCode.RATE_LIMITED);
    assertThat(open.retryAfterMs()).hasValue(1_000);
    stamps.release(2);
    assertThat(got(one).existed()).isFalse();
    journals.write(1, false, 1, 0);
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(20));
    RequestRejectedException early = refused(strand(1));
    assertThat(early.code()).isEqualTo(RejectionCode.RATE_LIMITED);
    assertThat(early.retryAfterMs().orElseThrow()).isBetween(40_000L, 40_001L);
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(40));
    assertThat(got(requests.request(strand(1))).existed()).isFalse();
    journals.write(2, false, 1, 0);
    stamps.release();
    assertThat(got(requests.request(strand(2))).existed()).as("another ledger").isFalse();
  }

  @Test
  void theNextSourceIsAskedAndEachTellsWhy() throws Exception {
    first.failing = true;
    stamps.release(100);
    journals.write(1, false, 1, 0);
    assertThat(got(requests.request(strand(1))).existed()).isFalse();
    assertThat(((TimeProof.Token) journals.anchors().getFirst().proof()).der())
        .isEqualTo(Bytes.utf8("second"));
    second.failing = true;
    journals.write(2, false, 1, 0);
    for (int i = 0; i < 2; i++) { // a failure costs no minute
      RequestRejectedException none = refusal(requests.request(strand(2)));
      assertThat(none.code()).isEqualTo(RejectionCode.TIME_NOT_STAMPED);
      assertThat(none).hasMessage("no time came of first: slow; second: slow");
      assertThat(none.retryAfterMs()).hasValue(30_000);
    }
    assertThat(outcomes).containsExactly(Outcome.STAMPED, Outcome.NOT_STAMPED, Outcome.NOT_STAMPED);
  }

  @Test
  void aTimeJournalThatCameFirstIsTheAnswer() throws Exception {
    first.overtaken = true;
    stamps.release();
    journals.write(1, false, 1, 0);
    Granted granted = got(requests.request(strand(1)));
    assertThat(granted.existed()).isTrue();
    assertThat(journals.anchors()).hasSize(1);
  }

  @Test
  void whatTheNodeRefusesIsRefused() throws Exception {
    stamps.release();
    journals.write(1, false, 1, 0);
    journals.refuse(1);
    assertThat(refusal(requests.request(strand(1))).code()).isEqualTo(RejectionCode.STORAGE_FULL);
    assertThat(refused(strand(7)).code()).isEqualTo(RejectionCode.UNKNOWN_LEDGER);
    assertThat(refused(strand(99)).code()).isEqualTo(RejectionCode.TIME_NOT_CONFIGURED);
    assertThatThrownBy(() ->
            new TimeRequests(Optional.empty(), List.of(first), nanoTime::get, outcomes::add)
                .request(strand(1)))
        .hasMessageContaining("no time authority");
  }

  @Test
  void soManyAreOpenAndAClosingServiceAnswersThemAll() throws Exception {
    List<CompletableFuture<Granted>> open = new CopyOnWriteArrayList<>();
    for (int i = 0; i < TimeRequests.OPEN_MAX; i++) {
      journals.write(i, false, 1, 0);
      open.add(requests.request(strand(i)));
    }
    journals.write(98, false, 1, 0);
    assertThat(refused(strand(98)).limit()).hasValue(TimeRequests.OPEN_MAX);
    requests.drain();
    for (CompletableFuture<Granted> each : open) {
      assertThat(refusal(each).code()).isEqualTo(RejectionCode.UNAVAILABLE);
    }
    assertThat(refused(strand(98)).code()).isEqualTo(RejectionCode.UNAVAILABLE);
  }
}
