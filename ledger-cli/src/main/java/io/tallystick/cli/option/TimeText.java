package io.tallystick.cli.option;

import io.tallystick.cli.terminal.UsageException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;

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

  /// A time that is not before the Unix epoch.
  ///
  /// @param option that it was given with
  public static Instant instant(String option, String text) throws UsageException {
    long ms = ms(text);
    if (ms < 0) {
      throw new UsageException(
          String.format(Locale.ROOT, "%s: %s is before 1970-01-01T00:00:00Z", option, text));
    }
    return Instant.ofEpochMilli(ms);
  }
}
