package io.tallystick.testkit.fault;

import java.util.SplittableRandom;

/// How a crash treats what was not forced. The two extremes are drawn as often as the mixture: a
/// killed process loses nothing, a power cut right after a pause everything.
enum Survival {
  ALL,
  NONE,
  MIXED;

  /// What becomes of one change.
  enum Outcome {
    WHOLE,
    PART,
    LOST
  }

  static Survival draw(SplittableRandom random) {
    return values()[random.nextInt(values().length)];
  }

  Outcome next(SplittableRandom random) {
    return switch (this) {
      case ALL -> Outcome.WHOLE;
      case NONE -> Outcome.LOST;
      case MIXED -> Outcome.values()[random.nextInt(Outcome.values().length)];
    };
  }
}
