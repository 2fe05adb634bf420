package io.tallystick.audit.statement;

/// The sizes by which windows of time are counted: below 1,024 ms each its own, above to one part
/// in 512.
public final class WindowSizes {
  private static final int EXACT = 1_024;
  private static final int STEPS_LOG = 9;
  private static final int STEPS = 1 << STEPS_LOG;

  /// More than any window needs.
  static final int BUCKETS = EXACT + Long.SIZE * STEPS;

  private WindowSizes() {}

  public static int bucket(long windowMs) {
    if (windowMs < EXACT) {
      return (int) windowMs;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(windowMs) - STEPS_LOG;
    return EXACT + (shift - 1) * STEPS + (int) (windowMs >>> shift) - STEPS;
  }

  /// The largest window that is counted with these.
  public static long largestOf(int bucket) {
    if (bucket < EXACT) {
      return bucket;
    }
    int shift = (bucket - EXACT) / STEPS + 1;
    long step = (long) (bucket - EXACT) % STEPS + STEPS;
    return ((step + 1) << shift) - 1;
  }
}
