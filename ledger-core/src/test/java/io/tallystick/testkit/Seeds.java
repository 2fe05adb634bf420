package io.tallystick.testkit;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/// The seeds of random tests. In a build a test has the same seeds every time: they follow from its
/// name. They are fresh in the long form ({@link Effort}), and where the system property
/// `tallystick.fresh` says `true` or how many each test takes.
public final class Seeds {
  private static final long SEED_BOUND = 1L << 48;
  private static final String FRESH = System.getProperty("tallystick.fresh", "");

  /// Drawn once a process: what is run again because it failed has the seed that it failed with.
  private static final long SALT = areFresh() ? new SplittableRandom().nextLong() : 0;

  private Seeds() {}

  public static boolean areFresh() {
    return Effort.isLong() || !FRESH.isEmpty();
  }

  /// The next seeds of a test with this name.
  public static LongStream of(String name, int count) {
    return of(name, count, SALT);
  }

  static LongStream of(String name, int count, long salt) {
    // FNV-1a: the same in every process and release.
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < name.length(); i++) {
      hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
    }
    return new SplittableRandom(hash ^ salt).longs(count, 0, SEED_BOUND);
  }

  /// How many seeds a test takes of which so many are asked.
  static int count(int asked) {
    return FRESH.isEmpty() || FRESH.equals("true") ? asked : Integer.parseInt(FRESH);
  }
}
