package io.tallystick.bench.stage;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/// Processor time of the measuring thread per operation: neither the compiler's nor the collector's
/// threads, nor anybody else's on a machine that others use too.
public final class CpuTimeProfiler implements InternalProfiler {
  static final String LABEL = "cpu";

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private long before;

  public CpuTimeProfiler() {}

  @Override
  public String getDescription() {
    return "processor time of the measuring thread per operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = workerNanos();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double nanos = (workerNanos() - before) / (double) result.getMetadata().getAllOps();
    return List.of(new ScalarResult(LABEL, nanos, "ns/op", AggregationPolicy.MIN));
  }

  private long workerNanos() {
    long nanos = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().contains("jmh-worker")) {
        nanos += threads.getThreadCpuTime(thread.getThreadId());
      }
    }
    return nanos;
  }
}
