package io.tallystick.server.sim;

import java.util.Locale;

/// Runs one seed and, if it fails, says how to run it again.
final class SimulatorRun {
  private static final long SHORT_STEPS = 4_000;
  private static final long LONG_STEPS = 60_000;
  private static final int LONG_ONE_IN = 32;

  private SimulatorRun() {}

  /// How long a seed runs: most are short and begin anew, some grow large.
  static long stepsOf(long seed) {
    return Math.floorMod(seed, LONG_ONE_IN) == 0 ? LONG_STEPS : SHORT_STEPS;
  }

  static RunStatistics of(long seed, long steps) {
    return of(seed, steps, Sabotage.NONE);
  }

  static RunStatistics of(long seed, long steps, Sabotage sabotage) {
    Simulation simulation = new Simulation(seed, sabotage);
    try {
      return simulation.run(steps);
    } catch (Throwable e) {
      throw new Violation(
          String.format(
              Locale.ROOT,
              "step %d of seed %d; replay: mvn -pl ledger-server -am test -Dtest=SimulatorTest -Dsurefire.failIfNoSpecifiedTests=false -Dtallystick.sim.seed=%d -Dtallystick.sim.run=%d%n%s",
              simulation.statistics().steps,
              seed,
              seed,
              steps,
              e),
          e);
    }
  }
}
