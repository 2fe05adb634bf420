package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Narrator;
import java.nio.file.Path;
import java.util.List;

/// One case of `tally bench trust`: measures both sides of its ratio in one run, by turns.
@FunctionalInterface
interface TrustCase {
  List<BenchCase> measure(Run run) throws Exception;

  /// What a case is given.
  ///
  /// @param home an empty folder for its data
  /// @param seconds of each measurement; what has a size takes it from them
  /// @param warmUpSeconds before the first one, not counted
  record Run(Path home, double seconds, double warmUpSeconds, int repetitions, Narrator narrator) {
    void say(String line) {
      narrator.say(line);
    }
  }

  /// Pair by pair.
  static double[] ratios(double[] dividends, double[] divisors) {
    double[] ratios = new double[dividends.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = dividends[i] / divisors[i];
    }
    return ratios;
  }
}
