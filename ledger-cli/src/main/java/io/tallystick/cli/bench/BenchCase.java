package io.tallystick.cli.bench;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// One measured case. What does not apply is absent.
///
/// @param limit what the machine could do at best, measured in the same run, in `unit`
/// @param ratio `value / limit`
/// @param p50Ms median latency from the moment the request was due
/// @param p99Ms 99th percentile of the same
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BenchCase(
    String name,
    double value,
    String unit,
    @Nullable Double limit,
    @Nullable Double ratio,
    @Nullable Double p50Ms,
    @Nullable Double p99Ms) {
  static BenchCase throughput(String name, double value, double limit) {
    return new BenchCase(
        name, round(value), "journals/s", round(limit), round(value / limit), null, null);
  }

  /// Rounded to four significant decimals: more would be noise.
  static double round(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
