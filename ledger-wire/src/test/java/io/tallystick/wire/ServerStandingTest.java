package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.NodeHealth;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Goal: a server's clocks are not ahead here, however long its answer took. Method: an answer that
/// took ten seconds.
class ServerStandingTest {
  private static final long TIME_MS = 1_790_000_000_000L;
  private static final long CLOCK_MS = TIME_MS + 100_000;

  @Test
  void itsClocksAreThoseOfTheAnswer() {
    WireMessage.Status answer =
        new WireMessage.Status(
            new IdleNode().identity(), TIME_MS, CLOCK_MS, new NodeHealth(true, true, ""), 1);
    long askedNanos = System.nanoTime() - TimeUnit.SECONDS.toNanos(10);
    try (ServerStanding standing =
        new ServerStanding(ServerStandingTest::silence, answer, askedNanos, Duration.ofHours(1))) {
      assertThat(standing.timeMs()).isBetween(TIME_MS, TIME_MS + 5_000);
      assertThat(standing.clockMs()).isBetween(CLOCK_MS, CLOCK_MS + 5_000);
    }
  }

  private static WireMessage.Status silence() throws RequestRejectedException {
    throw new RequestRejectedException(RejectionCode.UNAVAILABLE, "silent");
  }

  /// Silence is counted from the question: what the server says is no newer than that.
  @Test
  void itIsSilentSinceItWasAsked() {
    WireMessage.Status answer =
        new WireMessage.Status(
            new IdleNode().identity(), TIME_MS, CLOCK_MS, new NodeHealth(true, true, ""), 1);
    long askedNanos = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
    try (ServerStanding standing =
        new ServerStanding(ServerStandingTest::silence, answer, askedNanos, Duration.ofHours(1))) {
      assertThat(standing.health().appendable()).isFalse();
    }
  }
}
