package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.DoubleStream;

/// What the repetitions of a case gave, by name and in order.
final class Figures {
  private final Map<String, DoubleStream.Builder> builders = new LinkedHashMap<>();
  private final Map<String, double[]> series = new LinkedHashMap<>();

  void add(String name, double value) {
    builders.computeIfAbsent(name, _ -> DoubleStream.builder()).add(value);
  }

  private double[] values(String name) {
    return series.computeIfAbsent(
        name,
        _ -> {
          DoubleStream.Builder builder = builders.get(name);
          if (builder == null) {
            throw new IllegalStateException("nothing was measured of " + name);
          }
          return builder.build().toArray();
        });
  }

  BenchCase spread(String name, String unit) {
    return BenchCase.spread(name, unit, values(name));
  }

  /// Beside what is wanted of it.
  BenchCase wanted(String name, String unit, double wanted) {
    return BenchCase.beside(name, values(name), unit, wanted);
  }

  /// Beside a limit that was measured by turns with it.
  BenchCase beside(String name, String unit, String limit) {
    return BenchCase.beside(name, values(name), unit, values(limit));
  }

  /// `dividend / divisor`, repetition by repetition, beside what is wanted of it.
  BenchCase ratio(String name, String dividend, String divisor, double wanted) {
    double[] above = values(dividend);
    double[] below = values(divisor);
    double[] ratios = new double[above.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = above[i] / below[i];
    }
    return BenchCase.beside(name, ratios, "x", wanted);
  }
}
