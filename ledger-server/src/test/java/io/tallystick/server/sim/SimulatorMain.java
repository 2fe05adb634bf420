package io.tallystick.server.sim;

import java.util.Locale;
import java.util.SplittableRandom;

/// Runs seed after seed until so many steps are done, and says how far it is.
///
/// `-Dtallystick.sim.steps=N` (default 10,000,000), `-Dtallystick.sim.seed=S` the first seed
/// (default: drawn), `-Dtallystick.sim.run=N` steps of one seed (default: drawn from the seed).
final class SimulatorMain {
  private static final long REPORT_NANOS = 60_000_000_000L;

  private SimulatorMain() {}

  public static void main(String[] arguments) {
    long steps = Long.getLong("tallystick.sim.steps", 10_000_000);
    long firstSeed = Long.getLong("tallystick.sim.seed", new SplittableRandom().nextLong());
    long run = Long.getLong("tallystick.sim.run", 0);
    System.out.printf(Locale.ROOT, "first seed %d, %,d steps%n", firstSeed, steps);
    RunStatistics total = new RunStatistics();
    long started = System.nanoTime();
    long reported = started;
    for (long seed = firstSeed; total.steps < steps; seed++) {
      total.add(SimulatorRun.of(seed, run == 0 ? SimulatorRun.stepsOf(seed) : run));
      long now = System.nanoTime();
      if (now - reported > REPORT_NANOS || total.steps >= steps) {
        reported = now;
        double minutes = (now - started) / 60e9;
        double cpu =
            java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime()
                / 60e9;
        System.out.printf(
            Locale.ROOT,
            "%,d steps a minute, %,d a minute of processor time, %.1f such minutes, seeds %d to %d;"
                + " %s%n",
            (long) (total.steps / minutes),
            (long) (total.steps / cpu),
            cpu,
            firstSeed,
            seed,
            total);
      }
    }
  }
}
