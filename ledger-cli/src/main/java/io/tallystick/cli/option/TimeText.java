package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Times as options give them.
public final class TimeText {
  private TimeText() {}

  /// @return milliseconds since the Unix epoch
  public static long ms(String text) throws UsageException {
    try {
      return text.matches("[0-9]{1,18}")
          ? Long.parseLong(text)
          : Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw new UsageException(
          '"' + text + "\" is no time, as 2027-06-30T00:00:00Z or in milliseconds");
    }
  }

  /// The time given with `--at-time`; null if none was given.
  ///
  /// @param height given with `--as-of`
  public static @Nullable Instant atTime(@Nullable String time, @Nullable Long height)
      throws UsageException {
    if (time == null) {
      return null;
    }
    if (height != null) {
      throw new UsageException("--as-of and --at-time: give one of them");
    }
    long ms = ms(time);
    if (ms < 0) {
      throw new UsageException(
          String.format(Locale.ROOT, "--at-time: %s is before 1970-01-01T00:00:00Z", time));
    }
    return Instant.ofEpochMilli(ms);
  }
}
