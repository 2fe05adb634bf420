package io.tallystick.head;

import io.tallystick.journal.SealLeaf;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/// How old a head is by the clock of who looks: the time since its seal. The seal's time is the
/// service's own word, which time journals bound. A ledger to which nothing is appended seals no
/// block, so its head grows old though nothing is withheld.
///
/// @param sealed the time in the seal
/// @param now by the clock of who looks
public record HeadAge(Instant sealed, Instant now) {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  public static HeadAge of(SealLeaf seal, InstantSource clock) {
    return new HeadAge(
        Instant.ofEpochMilli(seal.timeMs()), Instant.ofEpochMilli(clock.instant().toEpochMilli()));
  }

  /// Zero if the seal is ahead of the clock.
  public Duration age() {
    Duration since = Duration.between(sealed, now);
    return since.isNegative() ? Duration.ZERO : since;
  }

  /// By how much the seal is ahead of the clock; zero if it is not.
  public Duration ahead() {
    Duration until = Duration.between(now, sealed);
    return until.isNegative() ? Duration.ZERO : until;
  }

  /// Time and age, for people: `2026-11-27T03:40:00Z, 2 min 5 s ago`.
  public String text() {
    return ahead().isZero()
        ? String.format(Locale.ROOT, "%s, %s ago", sealed, words(age()))
        : String.format(
            Locale.ROOT, "%s, %s ahead of this machine's clock", sealed, words(ahead()));
  }

  /// The two largest units of a duration, in whole seconds.
  public static String words(Duration time) {
    if (time.compareTo(DAY) >= 0) {
      return two(time.toDays(), "d", time.toHoursPart(), "h");
    }
    if (time.compareTo(HOUR) >= 0) {
      return two(time.toHours(), "h", time.toMinutesPart(), "min");
    }
    if (time.compareTo(MINUTE) >= 0) {
      return two(time.toMinutes(), "min", time.toSecondsPart(), "s");
    }
    return time.toSeconds() == 0 && !time.isZero() ? "less than 1 s" : time.toSeconds() + " s";
  }

  private static String two(long large, String unit, int small, String smaller) {
    return small == 0
        ? String.format(Locale.ROOT, "%d %s", large, unit)
        : String.format(Locale.ROOT, "%d %s %d %s", large, unit, small, smaller);
  }
}
