package io.tallystick.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/// Processor time this process and the service have used so far.
record CpuTime(long clientNanos, long serviceNanos) {
  /// Processor time per journal, microseconds.
  record Cost(double clientMicros, double serviceMicros) {}

  /// @param servicePid a process that is alive
  static CpuTime now(long servicePid) {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long service =
        ProcessHandle.of(servicePid)
            .flatMap(process -> process.info().totalCpuDuration())
            .map(Duration::toNanos)
            .orElse(0L);
    return new CpuTime(system.getProcessCpuTime(), service);
  }

  /// Before there is a service.
  static CpuTime ofClient() {
    return new CpuTime(now(ProcessHandle.current().pid()).clientNanos, 0);
  }

  Cost per(long journals, CpuTime end) {
    double micros = 1000.0 * Math.max(1, journals);
    return new Cost(
        (end.clientNanos - clientNanos) / micros, (end.serviceNanos - serviceNanos) / micros);
  }
}
