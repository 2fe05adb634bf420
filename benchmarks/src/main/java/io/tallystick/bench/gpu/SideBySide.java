package io.tallystick.bench.gpu;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import java.util.List;
import java.util.Locale;

/// Device and CPU by turns: how much of something each does in a second.
final class SideBySide {
  private static final int WARM_UPS = 2;

  private SideBySide() {}

  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }

  /// @param count of what is done in one turn
  /// @param wanted how many times as fast as the CPU the device should be
  static List<BenchCase> measure(
      MeasuredCase.Run run,
      String name,
      String unit,
      long count,
      double wanted,
      Work device,
      Work cpu)
      throws Exception {
    double[] devices = new double[run.repetitions()];
    double[] cpus = new double[run.repetitions()];
    for (int turn = -WARM_UPS; turn < run.repetitions(); turn++) {
      double onDevice = perSecond(count, device);
      double onCpu = perSecond(count, cpu);
      if (turn >= 0) {
        devices[turn] = onDevice;
        cpus[turn] = onCpu;
      }
    }
    run.say(
        String.format(
            Locale.ROOT,
            "  %s: device %,.0f, CPU %,.0f %s",
            name,
            BenchCase.median(devices),
            BenchCase.median(cpus),
            unit));
    return List.of(
        BenchCase.spread(name + "-device", unit, devices),
        BenchCase.spread(name + "-cpu", unit, cpus),
        BenchCase.beside(name + "-ratio", BenchCase.ratios(devices, cpus), "x", wanted));
  }

  static double perSecond(long count, Work work) throws Exception {
    long started = System.nanoTime();
    work.run();
    return count * 1e9 / Math.max(1, System.nanoTime() - started);
  }
}
