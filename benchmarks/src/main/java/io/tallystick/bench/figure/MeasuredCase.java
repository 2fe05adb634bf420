package io.tallystick.bench.figure;

import java.nio.file.Path;
import java.util.List;

/// Measures both sides of a ratio in one run, by turns.
@FunctionalInterface
public interface MeasuredCase {
  List<BenchCase> measure(Run run) throws Exception;

  /// What a case is given.
  ///
  /// @param home an empty folder for its data
  /// @param seconds of each measurement; what has a size takes it from them
  /// @param warmUpSeconds before the first one, not counted
  record Run(Path home, double seconds, double warmUpSeconds, int repetitions, Narrator narrator) {
    /// How many of something that is counted.
    public int count(int perSecond) {
      return (int) Math.ceil(seconds * perSecond);
    }

    public void say(String line) {
      narrator.say(line);
    }
  }
}
