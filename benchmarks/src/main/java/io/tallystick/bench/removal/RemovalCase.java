package io.tallystick.bench.removal;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.List;

/// One case of `tally bench removal`: measures both sides of its ratio in one run, by turns.
@FunctionalInterface
interface RemovalCase {
  List<BenchCase> measure(Run run) throws Exception;

  /// What a case is given.
  ///
  /// @param home an empty folder for its data
  /// @param seconds of each measurement; what has a size takes it from them
  record Run(Path home, double seconds, double warmUpSeconds, int repetitions, Narrator narrator) {
    /// How many of something that is counted.
    int count(int perSecond) {
      return (int) Math.ceil(seconds * perSecond);
    }

    void say(String line) {
      narrator.say(line);
    }
  }
}
