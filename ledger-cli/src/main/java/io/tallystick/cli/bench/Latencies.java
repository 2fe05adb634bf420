package io.tallystick.cli.bench;

import java.util.stream.LongStream;

/// How long things took, in milliseconds.
///
/// @param p50 median
/// @param p99 99th percentile
/// @param longest of all
record Latencies(double p50, double p99, double longest) {
  private static final double NANOS_PER_MS = 1e6;

  /// @param nanos one or more, in any order
  static Latencies of(LongStream nanos) {
    long[] sorted = nanos.sorted().toArray();
    return new Latencies(
        sorted[sorted.length / 2] / NANOS_PER_MS,
        sorted[(int) (sorted.length * 0.99)] / NANOS_PER_MS,
        sorted[sorted.length - 1] / NANOS_PER_MS);
  }
}
