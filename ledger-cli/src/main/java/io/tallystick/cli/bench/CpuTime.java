package io.tallystick.cli.bench;

import java.time.Duration;

/// Processor time this process and the service have used so far.
record CpuTime(long clientNanos, long serviceNanos) {
  /// Processor time per journal, microseconds.
  record Cost(double clientMicros, double serviceMicros) {}

  /// @param servicePid a process that is alive
  static CpuTime now(long servicePid) {
    long service =
        ProcessHandle.of(servicePid)
            .flatMap(process -> process.info().totalCpuDuration())
            .map(Duration::toNanos)
            .orElse(0L);
    return new CpuTime(ThisMachine.processorNanos(), service);
  }

  Cost per(long journals, CpuTime end) {
    double micros = 1000.0 * Math.max(1, journals);
    return new Cost(
        (end.clientNanos - clientNanos) / micros, (end.serviceNanos - serviceNanos) / micros);
  }
}
