package io.tallystick.testkit.cluster;

import java.util.random.RandomGenerator;

/// How often things go wrong in a twin, each out of 1,000 times that it could.
///
/// @param lostAdds an entry is handed over and not confirmed: it may be in the log, or not
/// @param lostAnswers a change is done, not done or done later, and its caller is not told which
/// @param unreachable a call does not arrive
/// @param oldReads a read answers what stood there earlier
/// @param lateEntries a reader of an open log does not know of the newest entry yet
public record TwinFaults(
    int lostAdds, int lostAnswers, int unreachable, int oldReads, int lateEntries) {
  /// Nothing goes wrong.
  public static final TwinFaults NONE = new TwinFaults(0, 0, 0, 0, 0);

  private static final int ALWAYS = 1000;

  static boolean befalls(int often, RandomGenerator random) {
    return often > 0 && random.nextInt(ALWAYS) < often;
  }
}
