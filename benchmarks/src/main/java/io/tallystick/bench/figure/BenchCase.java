package io.tallystick.bench.figure;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One measured case: medians over its repetitions. What does not apply is absent.
///
/// @param limit what the machine could do at best, measured before each repetition, in `unit`
/// @param ratio `value / limit`, pair by pair
/// @param ratios smallest and largest of the repetitions
/// @param p50Ms median latency from the moment the request was due
/// @param p99Ms 99th percentile of the same
/// @param clientCpuMicros processor time of the client per journal, compilers and collector
///   included
/// @param serviceCpuMicros the same of the service
/// @param values smallest and largest of the repetitions, in `unit`
/// @param limitCpuMicros what a journal costs of processor time at the limit
/// @param allocatedBytes per journal, by all threads
/// @param cacheOfIndex bytes of the cache, of those of the index on the disk
/// @param departs what is not as a service without settings has it
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BenchCase(
    String name,
    double value,
    String unit,
    @Nullable Double limit,
    @Nullable Double ratio,
    @Nullable List<Double> ratios,
    @Nullable Double p50Ms,
    @Nullable Double p99Ms,
    @Nullable Double clientCpuMicros,
    @Nullable Double serviceCpuMicros,
    @Nullable List<Double> values,
    @Nullable Double limitCpuMicros,
    @Nullable Double allocatedBytes,
    @Nullable Double cacheOfIndex,
    @Nullable String departs) {
  public BenchCase(
      String name,
      double value,
      String unit,
      @Nullable Double limit,
      @Nullable Double ratio,
      @Nullable List<Double> ratios,
      @Nullable Double p50Ms,
      @Nullable Double p99Ms,
      @Nullable Double clientCpuMicros,
      @Nullable Double serviceCpuMicros,
      @Nullable List<Double> values,
      @Nullable Double limitCpuMicros,
      @Nullable Double allocatedBytes) {
    this(
        name,
        value,
        unit,
        limit,
        ratio,
        ratios,
        p50Ms,
        p99Ms,
        clientCpuMicros,
        serviceCpuMicros,
        values,
        limitCpuMicros,
        allocatedBytes,
        null,
        null);
  }

  public BenchCase(
      String name,
      double value,
      String unit,
      @Nullable Double limit,
      @Nullable Double ratio,
      @Nullable List<Double> ratios,
      @Nullable Double p50Ms,
      @Nullable Double p99Ms,
      @Nullable Double clientCpuMicros,
      @Nullable Double serviceCpuMicros) {
    this(
        name,
        value,
        unit,
        limit,
        ratio,
        ratios,
        p50Ms,
        p99Ms,
        clientCpuMicros,
        serviceCpuMicros,
        null,
        null,
        null);
  }

  public static final String JOURNALS_PER_SECOND = "journals/s";

  /// The same figure with what it was measured under.
  ///
  /// @param cache bytes of the cache, of those of the index on the disk
  /// @param departure what is not as a service without settings has it; empty: nothing
  public BenchCase under(double cache, String departure) {
    return with(round(cache), departure);
  }

  /// The same without a cache that is told.
  public BenchCase departing(String departure) {
    return with(cacheOfIndex, departure);
  }

  private BenchCase with(@Nullable Double cache, String departure) {
    return new BenchCase(
        name,
        value,
        unit,
        limit,
        ratio,
        ratios,
        p50Ms,
        p99Ms,
        clientCpuMicros,
        serviceCpuMicros,
        values,
        limitCpuMicros,
        allocatedBytes,
        cache,
        departure.isEmpty() ? null : departure);
  }

  /// One repetition.
  public record Run(double value, double limit, CpuTime.Cost cost) {
    public double ratio() {
      return value / limit;
    }
  }

  public static BenchCase throughput(String name, List<Run> runs) {
    double[] ratios = runs.stream().mapToDouble(Run::ratio).sorted().toArray();
    return new BenchCase(
        name,
        round(median(runs.stream().mapToDouble(Run::value).toArray())),
        JOURNALS_PER_SECOND,
        round(median(runs.stream().mapToDouble(Run::limit).toArray())),
        round(median(ratios)),
        List.of(round(ratios[0]), round(ratios[ratios.length - 1])),
        null,
        null,
        round(median(runs.stream().mapToDouble(run -> run.cost().clientMicros()).toArray())),
        round(median(runs.stream().mapToDouble(run -> run.cost().serviceMicros()).toArray())));
  }

  /// One repetition of a case without a service.
  public record AloneRun(
      double value, double cpuMicros, double allocatedBytes, AuditLimit.Measured limit) {
    public double ratio() {
      return value / limit.journalsPerSecond();
    }
  }

  public static BenchCase alone(String name, List<AloneRun> runs) {
    double[] values = runs.stream().mapToDouble(AloneRun::value).sorted().toArray();
    double[] ratios = runs.stream().mapToDouble(AloneRun::ratio).sorted().toArray();
    return new BenchCase(
        name,
        round(median(values)),
        JOURNALS_PER_SECOND,
        round(median(runs.stream().mapToDouble(run -> run.limit.journalsPerSecond()).toArray())),
        round(median(ratios)),
        List.of(round(ratios[0]), round(ratios[ratios.length - 1])),
        null,
        null,
        round(median(runs.stream().mapToDouble(AloneRun::cpuMicros).toArray())),
        null,
        List.of(round(values[0]), round(values[values.length - 1])),
        round(median(runs.stream().mapToDouble(run -> run.limit.processorMicros()).toArray())),
        round(median(runs.stream().mapToDouble(AloneRun::allocatedBytes).toArray())));
  }

  public static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /// Pair by pair.
  public static double[] ratios(double[] dividends, double[] divisors) {
    double[] ratios = new double[dividends.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = dividends[i] / divisors[i];
    }
    return ratios;
  }

  /// A figure beside a limit that is known beforehand.
  public static BenchCase beside(String name, double value, String unit, double limit) {
    return new BenchCase(
        name, round(value), unit, round(limit), round(value / limit), null, null, null, null, null);
  }

  /// A figure of several repetitions beside a limit that is known beforehand.
  public static BenchCase beside(String name, double[] values, String unit, double limit) {
    double[] sorted = Arrays.stream(values).sorted().toArray();
    double smallest = sorted[0];
    double largest = sorted[sorted.length - 1];
    return new BenchCase(
        name,
        round(median(sorted)),
        unit,
        round(limit),
        round(median(sorted) / limit),
        List.of(round(smallest / limit), round(largest / limit)),
        null,
        null,
        null,
        null,
        List.of(round(smallest), round(largest)),
        null,
        null);
  }

  /// A figure of several repetitions, each beside a limit that was measured with it.
  public static BenchCase beside(String name, double[] values, String unit, double[] limits) {
    double[] ratios = ratios(values, limits);
    Arrays.sort(ratios);
    double[] sorted = Arrays.stream(values).sorted().toArray();
    return new BenchCase(
        name,
        round(median(sorted)),
        unit,
        round(median(limits)),
        round(median(ratios)),
        List.of(round(ratios[0]), round(ratios[ratios.length - 1])),
        null,
        null,
        null,
        null,
        List.of(round(sorted[0]), round(sorted[sorted.length - 1])),
        null,
        null);
  }

  /// A figure without a limit, of several repetitions.
  public static BenchCase spread(String name, String unit, double[] values) {
    double[] sorted = Arrays.stream(values).sorted().toArray();
    return new BenchCase(
        name,
        round(median(sorted)),
        unit,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(round(sorted[0]), round(sorted[sorted.length - 1])),
        null,
        null);
  }

  /// A figure without a limit.
  public static BenchCase figure(String name, double value, String unit) {
    return new BenchCase(name, round(value), unit, null, null, null, null, null, null, null);
  }

  /// Rounded to four decimals: more would be noise.
  public static double round(double value) {
    return Math.round(value * 10_000) / 10_000.0;
  }
}
