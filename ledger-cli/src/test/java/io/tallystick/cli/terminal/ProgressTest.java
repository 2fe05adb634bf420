package io.tallystick.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: totals, rate and time left are right from the first line. Method: jobs of a steady pace,
/// on a clock that the test turns.
class ProgressTest {
  private static final Pattern LINE =
      Pattern.compile(
          "\r?([\\d,]+) of ([\\d,]+) leaves \\((\\d+) %\\)(?:, ([\\d,]+)/s, (.*) left)?");

  private final StringWriter said = new StringWriter();
  private long millis = -5000; // a clock may begin anywhere

  private Progress progress(boolean terminal) {
    return new Progress(new PrintWriter(said), "leaves", terminal, () -> millis * 1_000_000);
  }

  private List<String> lines() {
    return said.toString().lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
  }

  private static long number(String text) {
    return Long.parseLong(text.replace(",", ""));
  }

  private static long seconds(String text) {
    long seconds = 0;
    for (String part : text.split(":", -1)) {
      seconds = 60 * seconds + Long.parseLong(part);
    }
    return seconds;
  }

  /// @param late when the first is told: what came before it is no measure
  @ParameterizedTest
  @CsvSource({
    "5, 220488, 0",
    "5, 220488, 1900",
    "40, 1000, 0",
    "9000, 90000000, 0",
    "30, 90, 15000"
  })
  void everyLineHoldsOfAJobOfThatPace(long jobSeconds, long total, long late) {
    Progress progress = progress(true);
    millis += late;
    long begun = millis;
    for (long at = 0; at <= jobSeconds * 1000; at += Math.max(50, jobSeconds)) {
      millis = begun + at;
      progress.update(total * at / (jobSeconds * 1000), total);
    }
    List<String> lines = lines();
    assertThat(lines).isNotEmpty();
    boolean rated = false;
    for (String line : lines) {
      Matcher told = LINE.matcher(line);
      assertThat(told.matches()).as(line).isTrue();
      long done = number(told.group(1));
      assertThat(number(told.group(2))).isEqualTo(total);
      assertThat(done).isLessThanOrEqualTo(total);
      assertThat(number(told.group(3))).isEqualTo(Math.round(100.0 * done / total));
      if (told.group(4) != null) {
        rated = true;
        double pace = (double) total / jobSeconds;
        assertThat((double) number(told.group(4)))
            .as(line)
            .isBetween(0.6 * pace - 1, 1.1 * pace + 1);
        double left = (total - done) / pace;
        assertThat((double) seconds(told.group(5)))
            .as(line)
            .isBetween(0.8 * left - 1, 1.7 * left + 2);
      }
    }
    assertThat(rated).isTrue();
  }

  @Test
  void theSecondStepIsNotMeasuredByTheFirst() {
    Progress progress = progress(false);
    for (int second = 0; second <= 100; second++) {
      progress.update(second, 100);
      millis += 1000;
    }
    said.getBuffer().setLength(0);
    for (int second = 0; second <= 20; second++) {
      progress.update(100_000L * second, 2_000_000);
      millis += 1000;
    }
    assertThat(lines().getLast()).contains("100,000/s");
  }

  @Test
  void whatIsNotKnownIsNotTold() {
    Progress progress = progress(false);
    progress.update(0, 0);
    millis += 2500;
    progress.update(0, 0);
    millis += 10_000;
    progress.update(500, 0);
    millis += 10_000;
    progress.update(1000, 0);
    progress.end();
    assertThat(lines()).containsExactly("0 leaves", "500 leaves, 40/s", "1,000 leaves, 44/s");
  }

  @Test
  void aShortJobSaysNothing() {
    Progress progress = progress(true);
    for (int i = 0; i < 19; i++) {
      progress.update(i, 19);
      millis += 100;
    }
    progress.end();
    assertThat(said.toString()).isEmpty();
  }
}
