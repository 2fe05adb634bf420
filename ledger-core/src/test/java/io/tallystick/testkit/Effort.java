package io.tallystick.testkit;

/// How much a test does: its short form in every build, its long form under `mvn -Plong`, which
/// sets the system property `tallystick.long`. Both forms are the same test and check the same
/// behaviour. `docs/testing.md` says how to find them.
public final class Effort {
  private static final boolean LONG = Boolean.getBoolean("tallystick.long");

  private Effort() {}

  static boolean isLong() {
    return LONG;
  }

  /// A number of rounds, kills, connections, seeds, seconds.
  public static int of(int shortForm, int longForm) {
    return LONG ? longForm : shortForm;
  }
}
