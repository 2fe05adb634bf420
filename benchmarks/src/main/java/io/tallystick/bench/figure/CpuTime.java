package io.tallystick.bench.figure;

import java.time.Duration;

/// Processor time this process and the service have used so far.
public record CpuTime(long clientNanos, long serviceNanos) {
  /// Processor time per journal, microseconds.
  public record Cost(double clientMicros, double serviceMicros) {}

  /// @param servicePid a process that is alive
  public static CpuTime now(long servicePid) {
    long service =
        ProcessHandle.of(servicePid)
            .flatMap(process -> process.info().totalCpuDuration())
            .map(Duration::toNanos)
            .orElse(0L);
    return new CpuTime(ThisMachine.processorNanos(), service);
  }

  public Cost per(long journals, CpuTime end) {
    double micros = 1000.0 * Math.max(1, journals);
    return new Cost(
        (end.clientNanos - clientNanos) / micros, (end.serviceNanos - serviceNanos) / micros);
  }
}
