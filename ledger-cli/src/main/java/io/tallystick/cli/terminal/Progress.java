package io.tallystick.cli.terminal;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/// Progress on standard error for work that takes longer than two seconds: one line rewritten on a
/// terminal, one line every ten seconds elsewhere.
public final class Progress {
  private static final long FIRST_NANOS = 2_000_000_000L;
  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long LOG_NANOS = 10_000_000_000L;

  /// The shortest time from which a rate is told, counted from the first update: the time before
  /// that is no measure of the rest.
  private static final long RATE_NANOS = 1_000_000_000L;

  private final PrintWriter err;
  private final String unit;
  private final boolean terminal;
  private final LongSupplier nanoTime;
  private final long started;
  private long first = -1;
  private long firstAt;
  private long last;
  private long shownAt;
  private boolean shown;

  Progress(PrintWriter err, String unit) {
    this(err, unit, isTerminal(), System::nanoTime);
  }

  Progress(PrintWriter err, String unit, boolean terminal, LongSupplier nanoTime) {
    this.err = err;
    this.unit = unit;
    this.terminal = terminal;
    this.nanoTime = nanoTime;
    started = nanoTime.getAsLong();
  }

  @SuppressWarnings("SystemConsoleNull") // its documentation still allows null
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /// @param total 0 when it is not known
  public void update(long done, long total) {
    long now = nanoTime.getAsLong();
    if (first < 0 || done < last) { // what begins anew has a rate of its own
      first = done;
      firstAt = now;
    }
    last = done;
    long interval = terminal ? TERMINAL_NANOS : LOG_NANOS;
    if (now - started < FIRST_NANOS || (shown && now - shownAt < interval)) {
      return;
    }
    shown = true;
    shownAt = now;
    String of =
        total < done || total == 0
            ? String.format(Locale.ROOT, "%,d %s", done, unit)
            : String.format(
                Locale.ROOT, "%,d of %,d %s (%.0f %%)", done, total, unit, 100.0 * done / total);
    String line = of + rate(done, total, now - firstAt);
    err.print(terminal ? "\r" + line + "   " : line + "\n");
    err.flush();
  }

  /// Empty until there is something to tell it from.
  private String rate(long done, long total, long nanos) {
    if (nanos < RATE_NANOS || done <= first) {
      return "";
    }
    double perSecond = (done - first) / (nanos / 1e9);
    String left = total < done ? "" : ", " + time(Math.round((total - done) / perSecond)) + " left";
    return String.format(Locale.ROOT, ", %,.0f/s%s", perSecond, left);
  }

  private static String time(long seconds) {
    return seconds < 3600
        ? String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60)
        : String.format(
            Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  public void end() {
    if (shown && terminal) {
      err.println();
      err.flush();
    }
  }
}
