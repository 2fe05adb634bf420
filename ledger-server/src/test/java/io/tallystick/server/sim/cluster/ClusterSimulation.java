package io.tallystick.server.sim.cluster;

import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.Violation;
import io.tallystick.storage.replicated.Quorum;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinFaults;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// One run of one seed.
final class ClusterSimulation {
  private static final long SECOND = 1_000_000_000;

  private final SplittableRandom random;
  private final ClusterWorld world;
  private final List<SimServer> servers = new ArrayList<>();

  private ClusterSimulation(long seed, Bug bug) {
    this.random = new SplittableRandom(seed);
    this.world = ClusterWorld.draw(random.split(), bug);
  }

  /// @param seconds that pass in the run
  /// @throws Violation if the servers are at fault; it says how to run it again
  static ClusterStatistics run(long seed, int seconds, Bug bug) {
    ClusterSimulation simulation = new ClusterSimulation(seed, bug);
    try {
      simulation.run(seconds);
      simulation.world.statistics().runs = 1;
      simulation.world.statistics().steps = simulation.world.baton().steps();
      return simulation.world.statistics();
    } catch (Throwable e) {
      throw new Violation(
          String.format(
              Locale.ROOT,
              "step %d of seed %d, %s; replay: mvn -pl ledger-server -am test -Dtest=ClusterSimulatorTest -Dsurefire.failIfNoSpecifiedTests=false -Dtallystick.sim.seed=%d (%d s)%n%s",
              simulation.world.baton().steps(),
              seed,
              bug,
              seed,
              seconds,
              e),
          e);
    }
  }

  private void run(int seconds) throws Throwable {
    world.twins().found(SimServer.SHARD);
    SimSavepoints.found(world.twins().coordination().client(Steps.NONE));
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      servers.add(new SimServer("s" + i, world, random.split()));
    }
    var _ = new ClusterClients(world, servers, random.split());
    world.baton().atSteps(this::atStep);
    world.twins().faults(faults());
    world.baton().in(1, () -> servers.getFirst().suspectOwner());
    every(3 * SECOND, this::suspect);
    every(oneOf(2, 6, 20) * SECOND, this::kill);
    every(oneOf(4, 10, 100) * SECOND, this::stopMachine);
    world.baton().run(seconds * SECOND);
    settle();
  }

  private long oneOf(long... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private TwinFaults faults() {
    return new TwinFaults(
        (int) oneOf(0, 2, 20),
        (int) oneOf(0, 10, 100),
        (int) oneOf(0, 2, 20),
        (int) oneOf(0, 30, 300),
        (int) oneOf(0, 100, 500));
  }

  /// Lets an event happen again and again, at random times.
  private void every(long meanNanos, Baton.Event event) {
    world
        .baton()
        .in(
            1 + random.nextLong(2 * meanNanos),
            () -> {
              every(meanNanos, event);
              event.happen();
            });
  }

  /// Somebody takes the owner for dead.
  private void suspect() {
    List<SimServer> others = servers.stream().filter(server -> !server.isServing()).toList();
    if (!others.isEmpty()) {
      others.get(random.nextInt(others.size())).suspectOwner();
    }
  }

  private void kill() {
    world.statistics().deaths++;
    servers.get(random.nextInt(servers.size())).kill();
  }

  private void stopMachine() {
    int machine = random.nextInt(Quorum.FULL.ensemble());
    world.twins().logs().stop(machine);
    world.baton().in(random.nextLong(3 * SECOND), () -> world.twins().logs().start(machine));
  }

  /// Autorecovery, which knows nothing of owners.
  private void atStep() {
    if (random.nextInt(2_000) == 0) {
      List<Long> open = world.twins().logs().openLogs();
      if (!open.isEmpty()) {
        world.statistics().thirdParties++;
        world.twins().logs().recoverByThirdParty(open.get(random.nextInt(open.size())));
      }
    }
  }

  /// All is well again: a server that has nothing takes over, and finds everything.
  private void settle() throws Throwable {
    world.twins().faults(TwinFaults.NONE);
    for (int machine = 0; machine < Quorum.FULL.ensemble(); machine++) {
      world.twins().logs().start(machine);
    }
    Baton baton = world.baton();
    ServerSeat seat =
        ServerSeat.of(
            world,
            "last",
            Steps.NONE,
            baton::skip,
            () -> Instant.ofEpochMilli(SimServer.START_MS + baton.nowNanos() / 1_000_000),
            new InMemoryDisk(),
            new InMemoryMetaStore());
    FollowingShard follower = seat.follow();
    while (follower.turn()) {}
    try (Shard shard = follower.promote(Runnable::run, (_, task) -> task.run())) {
      world.history().check(shard);
    }
  }
}
