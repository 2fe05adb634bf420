package io.tallystick.bench.state;

import io.tallystick.bench.figure.BenchCase;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.DoubleStream;

/// What the repetitions of a case gave, by name and in order.
final class Figures {
  private final Map<String, DoubleStream.Builder> builders = new LinkedHashMap<>();
  private final Map<String, double[]> series = new LinkedHashMap<>();
  private final Map<String, Conditions> conditions = new LinkedHashMap<>();

  private record Conditions(double cacheOfIndex, String departures) {}

  void add(String name, double value) {
    builders.computeIfAbsent(name, _ -> DoubleStream.builder()).add(value);
  }

  /// Figures that were measured of a contender as it is now.
  void under(StateContender contender, String... names) throws IOException {
    Conditions now = new Conditions(contender.cacheOfIndex(), contender.departures());
    for (String name : names) {
      conditions.put(name, now);
    }
  }

  private BenchCase under(BenchCase measured, String name) {
    Conditions known = conditions.get(name);
    return known == null ? measured : measured.under(known.cacheOfIndex, known.departures);
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
    return under(BenchCase.spread(name, unit, values(name)), name);
  }

  /// Beside what is wanted of it.
  BenchCase wanted(String name, String unit, double wanted) {
    return under(BenchCase.beside(name, values(name), unit, wanted), name);
  }

  /// Beside a limit that was measured by turns with it.
  BenchCase beside(String name, String unit, String limit) {
    return under(BenchCase.beside(name, values(name), unit, values(limit)), name);
  }

  /// `dividend / divisor`, repetition by repetition, beside what is wanted of it.
  BenchCase ratio(String name, String dividend, String divisor, double wanted) {
    double[] ratios = BenchCase.ratios(values(dividend), values(divisor));
    return under(BenchCase.beside(name, ratios, "x", wanted), dividend);
  }

  /// The same, of which nothing is wanted.
  BenchCase ratio(String name, String dividend, String divisor) {
    double[] ratios = BenchCase.ratios(values(dividend), values(divisor));
    return under(BenchCase.spread(name, "x", ratios), dividend);
  }
}
