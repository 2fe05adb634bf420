package io.tallystick.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/// Goal: somebody who does not answer costs one call in a while, and is asked as before once it
/// answers. Method: a clock of the test's own.
class LeftAloneTest {
  private long nanos;
  private final LeftAlone alone = new LeftAlone(() -> nanos);

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void pausesAreDoubledUpToHalfAMinute() {
    assertThat(alone.mayAsk()).isTrue();
    alone.failed();
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      pass(Duration.ofSeconds(seconds).minusNanos(1));
      assertThat(alone.mayAsk()).as("after almost %d s", seconds).isFalse();
      pass(Duration.ofNanos(1));
      assertThat(alone.mayAsk()).as("after %d s", seconds).isTrue();
      alone.failed();
    }
  }

  @Test
  void oneCallAtATimeFindsOutWhetherItAnswersAgain() {
    assertThat(alone.mayAsk()).isTrue();
    alone.failed();
    pass(Duration.ofSeconds(1));
    assertThat(alone.mayAsk()).isTrue();
    assertThat(alone.mayAsk()).as("another asks").isFalse();
    alone.answered();
    assertThat(alone.mayAsk()).isTrue();
    assertThat(alone.mayAsk()).isTrue();
    alone.failed();
    pass(Duration.ofSeconds(1));
    assertThat(alone.mayAsk()).as("the pause is short again").isTrue();
  }

  @Test
  void callsThatFailTogetherCountOnce() {
    for (int i = 0; i < 10; i++) {
      assertThat(alone.mayAsk()).isTrue();
    }
    for (int i = 0; i < 10; i++) {
      alone.failed();
    }
    pass(Duration.ofSeconds(1));
    assertThat(alone.mayAsk()).isTrue();
  }
}
