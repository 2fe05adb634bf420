package io.tallystick.bench.trust;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.ThisMachine;
import java.util.List;

/// How fast something was done, and what it cost.
///
/// @param micros processor time of all threads, for one
record Speed(double perSecond, double micros) {
  static Speed of(long count, long startedNanos, long processorNanos) {
    return new Speed(
        count * 1e9 / (System.nanoTime() - startedNanos),
        (ThisMachine.processorNanos() - processorNanos) / 1e3 / Math.max(1, count));
  }

  static double[] rates(List<Speed> speeds) {
    return speeds.stream().mapToDouble(Speed::perSecond).toArray();
  }

  static double[] costs(List<Speed> speeds) {
    return speeds.stream().mapToDouble(Speed::micros).toArray();
  }

  /// Two figures: how much as fast the first is as the second, and how much of its processor time
  /// the second needs. What else runs on the machine moves the first more than the second.
  ///
  /// @param wanted of both
  static List<BenchCase> beside(
      String name, List<Speed> speeds, List<Speed> others, double wanted) {
    return List.of(
        BenchCase.beside(
            name + "-ratio", BenchCase.ratios(rates(speeds), rates(others)), "x", wanted),
        BenchCase.beside(
            name + "-cpu-ratio", BenchCase.ratios(costs(others), costs(speeds)), "x", wanted));
  }
}
