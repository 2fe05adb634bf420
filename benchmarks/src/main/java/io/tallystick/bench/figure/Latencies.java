package io.tallystick.bench.figure;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/// How long things took, in milliseconds.
///
/// @param p50 median
/// @param p99 99th percentile
/// @param longest of all
public record Latencies(double p50, double p99, double longest) {
  private static final double NANOS_PER_MS = 1e6;

  /// @param nanos in any order
  /// @throws IllegalArgumentException if there are none
  public static Latencies of(LongStream nanos) {
    long[] sorted = nanos.sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("nothing was timed");
    }
    return new Latencies(
        sorted[sorted.length / 2] / NANOS_PER_MS,
        sorted[(int) (sorted.length * 0.99)] / NANOS_PER_MS,
        sorted[sorted.length - 1] / NANOS_PER_MS);
  }

  /// One figure of each repetition.
  public static double[] each(List<Latencies> repetitions, ToDoubleFunction<Latencies> figure) {
    return repetitions.stream().mapToDouble(figure).toArray();
  }
}
