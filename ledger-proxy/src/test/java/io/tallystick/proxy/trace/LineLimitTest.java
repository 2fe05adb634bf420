package io.tallystick.proxy.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Goal: callers cannot fill the log, and the log says what it leaves out. Method: a clock that is
/// set.
class LineLimitTest {
  private final AtomicLong nanos = new AtomicLong(-5);
  private final List<String> lines = new ArrayList<>();

  private void write(LineLimit limit, int count) {
    for (int i = 0; i < count; i++) {
      limit.line(end -> lines.add("line" + end));
    }
  }

  @Test
  void tenLinesAMinuteAndTheRestIsCounted() {
    LineLimit limit = new LineLimit(nanos::get);
    write(limit, 25);
    assertThat(lines).hasSize(10).containsOnly("line");
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
    write(limit, 2);
    assertThat(lines.subList(10, 12))
        .containsExactly("line; 15 lines like this were left out before", "line");
  }
}
