package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Goal: a service that is not there holds no caller up for longer than one attempt, and evidence
/// that failed is not forgotten. Method: attempts that the test lets fail.
class OpeningTest {
  private static final int CALLERS = 8;

  private final AtomicInteger attempts = new AtomicInteger();

  @Test
  void whoComesDuringAnAttemptSharesItsFailure() throws Exception {
    CountDownLatch fails = new CountDownLatch(1);
    Opening opening =
        Opening.later(() -> {
          attempts.incrementAndGet();
          try {
            assertThat(fails.await(1, TimeUnit.MINUTES)).isTrue();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          throw new ServiceUnavailableException("nobody", false);
        });
    List<FutureTask<Throwable>> calls = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      FutureTask<Throwable> call = new FutureTask<>(() -> catchThrowable(opening::get));
      calls.add(call);
      Thread caller = Thread.ofPlatform().daemon().start(call);
      while (caller.getState() != Thread.State.TIMED_WAITING
          && caller.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    fails.countDown();
    for (FutureTask<Throwable> call : calls) {
      assertThat(call.get(1, TimeUnit.MINUTES)).isInstanceOf(ServiceUnavailableException.class);
    }
    assertThat(attempts).hasValue(1);
    assertThatThrownBy(opening::get).isInstanceOf(ServiceUnavailableException.class);
    assertThat(attempts).hasValue(2);
  }

  @Test
  void theFirstEvidenceThatFailedStaysTheAlarm() {
    Opening opening =
        Opening.later(() -> {
          String what = attempts.incrementAndGet() + ". genesis";
          throw new VerificationException(new ProofRejectedException(Reason.WRONG_TYPE, what));
        });
    assertThat(opening.alarm()).isEmpty();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(opening::get).isInstanceOf(VerificationException.class);
    }
    assertThat(attempts).hasValue(2);
    assertThat(opening.alarm().orElseThrow()).hasMessageContaining("1. genesis");
  }
}
