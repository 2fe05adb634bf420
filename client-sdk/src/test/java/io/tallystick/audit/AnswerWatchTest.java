package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: an answer that is late or silent ends, and no other. Method: looks at times of the test's
/// choosing, and one that the watch takes by itself.
class AnswerWatchTest {
  private static final long SILENCE_MILLIS_MAX = 60_000;

  private int aborted;

  private static long after(long begun, long seconds) {
    return begun + TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void endsWhatIsSilent() {
    try (AnswerWatch watch = new AnswerWatch(SILENCE_MILLIS_MAX)) {
      AnswerWatch.Awaited awaited = watch.begin(() -> aborted++, 600_000);
      long begun = System.nanoTime();
      watch.look(after(begun, 59));
      assertThat(aborted).isZero();
      watch.look(after(begun, 61));
      assertThat(aborted).isOne();
      assertThat(awaited.isLate()).isTrue();
      assertThat(awaited.late(new IOException("closed"))).hasRootCauseMessage("closed");
    }
  }

  @Test
  void endsWhatGoesOnTooLong() {
    try (AnswerWatch watch = new AnswerWatch(SILENCE_MILLIS_MAX)) {
      AnswerWatch.Awaited awaited = watch.begin(() -> aborted++, 10_000);
      long begun = System.nanoTime();
      awaited.heard();
      watch.look(after(begun, 9));
      assertThat(aborted).isZero();
      watch.look(after(begun, 11));
      assertThat(aborted).isOne();
    }
  }

  @Test
  void leavesAloneWhatHasEnded() {
    try (AnswerWatch watch = new AnswerWatch(SILENCE_MILLIS_MAX)) {
      AnswerWatch.Awaited awaited = watch.begin(() -> aborted++, 10_000);
      awaited.close();
      watch.look(after(System.nanoTime(), 3_600));
      assertThat(aborted).isZero();
      assertThat(awaited.isLate()).isFalse();
    }
  }

  @Test
  void looksByItselfAndGoesOnAfterAnAbortThatFails() throws InterruptedException {
    CountDownLatch failed = new CountDownLatch(2);
    CountDownLatch ended = new CountDownLatch(1);
    try (AnswerWatch watch = new AnswerWatch(1)) {
      watch.begin(
          () -> {
            failed.countDown();
            throw new IllegalStateException("no such connection");
          },
          SILENCE_MILLIS_MAX);
      watch.begin(ended::countDown, SILENCE_MILLIS_MAX);
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
