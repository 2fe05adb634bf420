package io.tallystick.cli.terminal;

import java.util.Locale;

/// A number of things, for people: `1 ledger`, `2,000 ledgers`.
public final class Count {
  private Count() {}

  /// @param thing whose plural has an s
  public static String of(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
  }
}
