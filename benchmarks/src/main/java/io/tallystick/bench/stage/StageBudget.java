package io.tallystick.bench.stage;

import io.tallystick.testkit.stage.Shape;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/// What does each stage of a journal's life cost on one thread? Runs every stage for both shapes
/// and prints a table of nanoseconds (the best iteration: the machine is shared) and bytes
/// allocated per journal. Arguments: regular expressions of benchmarks; all stages without. The
/// stages are in the test trees of the modules whose code they measure.
public final class StageBudget {
  private static final int ITERATIONS = 6;
  private static final String ALL_STAGES = "Stages\\.";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private StageBudget() {}

  private record Cost(double nanos, double bytes) {}

  public static void main(String[] args) throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(1)
            .jvmArgsAppend(
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:-BackgroundCompilation",
                "--enable-native-access=ALL-UNNAMED")
            .warmupIterations(6)
            .warmupTime(TimeValue.milliseconds(300))
            .measurementIterations(ITERATIONS)
            .measurementTime(TimeValue.milliseconds(250))
            .addProfiler(GCProfiler.class)
            .addProfiler(CpuTimeProfiler.class);
    for (String stage : args.length == 0 ? new String[] {ALL_STAGES} : args) {
      options.include(stage);
    }
    print(new Runner(options.build()).run());
  }

  private static void print(Collection<RunResult> results) {
    Map<String, Map<Shape, Cost>> table = new LinkedHashMap<>();
    for (RunResult result : results) {
      String name = result.getParams().getBenchmark();
      String stage = name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1);
      Shape shape = Shape.valueOf(result.getParams().getParam("shape"));
      double nanos = secondary(result, CpuTimeProfiler.LABEL) / shape.journals();
      double bytes = secondary(result, ALLOCATED) / shape.journals();
      table.computeIfAbsent(stage, _ -> new LinkedHashMap<>()).put(shape, new Cost(nanos, bytes));
    }
    System.out.println("| stage | batch: ns | batch: B | single: ns | single: B |");
    System.out.println("| --- | --- | --- | --- | --- |");
    table.forEach((stage, costs) ->
        System.out.println(
            "| " + stage + " | " + cells(costs, Shape.BATCH) + cells(costs, Shape.SINGLES)));
  }

  private static double secondary(RunResult result, String label) {
    Result<?> found = result.getSecondaryResults().get(label);
    return found == null ? Double.NaN : found.getScore();
  }

  private static String cells(Map<Shape, Cost> costs, Shape shape) {
    Cost cost = costs.get(shape);
    return cost == null
        ? "– | – | "
        : String.format(Locale.ROOT, "%.0f | %.0f | ", cost.nanos(), cost.bytes());
  }
}
