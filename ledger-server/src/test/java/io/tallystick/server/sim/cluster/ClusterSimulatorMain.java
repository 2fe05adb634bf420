package io.tallystick.server.sim.cluster;

import java.util.Locale;

/// Runs the simulator for long: `ClusterSimulatorMain FIRST_SEED SECONDS [RUNS] [BUG]`.
public final class ClusterSimulatorMain {
  private static final int REPORT_EVERY = 100;

  private ClusterSimulatorMain() {}

  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    int seconds = Integer.parseInt(args[1]);
    long runs = args.length > 2 ? Long.parseLong(args[2]) : 1;
    Bug bug = args.length > 3 ? Bug.valueOf(args[3]) : Bug.NONE;
    ClusterStatistics total = new ClusterStatistics();
    for (long seed = first; seed < first + runs; seed++) {
      total.add(ClusterSimulation.run(seed, seconds, bug));
      if ((seed - first) % REPORT_EVERY == REPORT_EVERY - 1) {
        System.out.printf(Locale.ROOT, "to seed %d: %s%n", seed, total);
      }
    }
    System.out.printf(Locale.ROOT, "%s%n", total);
  }
}
