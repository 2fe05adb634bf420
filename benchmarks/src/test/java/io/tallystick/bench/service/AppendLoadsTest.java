package io.tallystick.bench.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a load ends, also when nothing more can be sent. Method: submissions by hand.
class AppendLoadsTest {
  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void endsWithTheReasonForWhichNothingCouldBeSent() {
    AtomicInteger sent = new AtomicInteger();
    AppendLoads.Submission submission =
        _ -> {
          if (sent.incrementAndGet() > 3) {
            throw new IllegalStateException("the client is closed");
          }
          return CompletableFuture.completedFuture("a receipt");
        };
    assertThatThrownBy(() -> new AppendLoads.ClosedLoop(submission, 512, 20).run())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the client is closed");
  }

  @Test
  void countsWhatWasAnswered() throws Exception {
    AppendLoads.ClosedLoop loop =
        new AppendLoads.ClosedLoop(_ -> CompletableFuture.completedFuture(""), 2, 0.01);
    assertThat(loop.run()).isPositive();
    assertThat(loop.elapsedSeconds()).isBetween(0.01, 20.0);
  }
}
