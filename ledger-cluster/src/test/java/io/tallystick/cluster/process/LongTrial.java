package io.tallystick.cluster.process;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.history.HistoryClients;
import io.tallystick.cluster.history.HistoryReader;
import io.tallystick.master.placement.PlacementWishes;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A cluster on this machine whose processes are killed, stopped, moved and cut off from each other
/// by chance, under clients that ask all the while; at the end their history is judged. Run by
/// hand, by `cluster/trial`.
final class LongTrial {
  private static final StreamId SHARD = new StreamId(0);
  private static final int CLIENTS = 4;
  private static final long PAUSE_MILLIS = 25;
  private static final int SOME = 60;
  private static final long SECONDS_MAX = 120;

  private final ClusterTrial trial;
  private final ClusterConnection cluster;
  private final HistoryClients clients;
  private final SplittableRandom random;
  private final PortCuts cuts;

  private LongTrial(
      ClusterTrial trial,
      ClusterConnection cluster,
      HistoryClients clients,
      SplittableRandom random,
      PortCuts cuts) {
    this.trial = trial;
    this.cluster = cluster;
    this.clients = clients;
    this.random = random;
    this.cuts = cuts;
  }

  /// What is done to a cluster in a round.
  private enum Deed {
    MOVE,
    KILL_OWNER,
    STOP_OWNER,
    KILL_OTHER_SERVER,
    KILL_MASTER,
    KILL_PROXY,
    KILL_BOOKIE,
    STOP_BOOKIE,
    RESTART_ZOOKEEPER,
    CUT_OWNER_FROM_ZOOKEEPER,
    CUT_OWNER_FROM_BOOKIES,
    CUT_PROXY_FROM_OWNER;

    boolean isCut() {
      return name().startsWith("CUT_");
    }
  }

  /// @param arguments folder, takeovers to reach, minutes at most, seed
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]).toAbsolutePath();
    long takeovers = Long.parseLong(arguments[1]);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(Long.parseLong(arguments[2]));
    long seed = Long.parseLong(arguments[3]);
    List<String> faults;
    try (PortCuts cuts = PortCuts.open();
        ClusterTrial trial =
            new ClusterTrial(
                folder.resolve("cluster"), "192m", LongTrial::say, cuts::ofItsOwnGroup)) {
      Runtime.getRuntime().addShutdownHook(new Thread(trial::close));
      trial.start(1);
      try (ClusterConnection cluster =
              ClusterConnection.open(trial.zooKeeper(), ClusterTrial.CLUSTER);
          HistoryClients clients = new HistoryClients(trial.proxies(), folder.resolve("trust"))) {
        LongTrial run = new LongTrial(trial, cluster, clients, new SplittableRandom(seed), cuts);
        faults = run.rounds(takeovers, end, seed);
      }
    }
    System.exit(faults.isEmpty() ? 0 : 1);
  }

  private static void say(String line) {
    System.out.println(line);
  }

  private List<String> rounds(long takeovers, long end, long seed) throws Exception {
    clients.start(CLIENTS, PAUSE_MILLIS, random.split());
    List<String> faults = new ArrayList<>();
    OwnerChanges changes = OwnerChanges.watch(this::owner);
    int round = 0;
    try (changes) {
      while (changes.takeovers() < takeovers && System.nanoTime() - end < 0) {
        round(round++);
      }
    } catch (AssertionError e) {
      faults.add("it stands still: " + e.getMessage());
    } catch (Exception e) {
      faults.add("it stands still: " + e);
    }
    faults.addAll(judged());
    faults.stream().limit(20).forEach(LongTrial::say);
    say(
        String.format(
            Locale.ROOT,
            "seed %d: %d rounds, %d takeovers, %d claims, %d acknowledged, %d of unknown outcome, "
                + "%d lost, %d forks, %d rollbacks, %d faults in all",
            seed,
            round,
            changes.takeovers(),
            changes.claims(),
            clients.history().acknowledged(),
            clients.history().unknown(),
            count(faults, "lost"),
            count(faults, "fork") + count(faults, "is none of this log"),
            count(faults, "ROLLBACK") + count(faults, "rolled back"),
            faults.size()));
    return faults;
  }

  /// Of a cluster that stands still, too.
  private List<String> judged() {
    try {
      cuts.mend();
      clients.stop();
      return clients.faults();
    } catch (Exception e) {
      return List.of("it cannot be judged: " + e);
    }
  }

  private static long count(List<String> faults, String word) {
    return faults.stream().filter(fault -> fault.contains(word)).count();
  }

  private void round(int number) throws Exception {
    List<Deed> deeds =
        Stream.of(Deed.values()).filter(each -> cuts.work() || !each.isCut()).toList();
    Deed deed = random.nextInt(3) == 0 ? Deed.MOVE : deeds.get(random.nextInt(deeds.size()));
    ShardOwner before = owner();
    long began = System.nanoTime();
    try (HistoryReader reader = clients.grantAReader()) {
      Undo undo = act(deed, before);
      try {
        clients.awaitMore(SOME, SECONDS_MAX);
        reader.revoke();
      } catch (AssertionError e) {
        try {
          undo.run();
        } catch (Exception | AssertionError further) {
          e.addSuppressed(further);
        }
        throw e;
      }
      undo.run();
      clients.awaitMore(SOME, SECONDS_MAX);
      clients.awaitEach(SECONDS_MAX);
    }
    say(
        String.format(
            Locale.ROOT,
            "%d %s of %s: %d ms, epoch %d to %d, %d acknowledged",
            number,
            deed,
            before.server(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began),
            before.epoch(),
            owner().epoch(),
            clients.history().acknowledged()));
  }

  /// What mends what a deed has done.
  private interface Undo {
    void run() throws Exception;
  }

  private Undo act(Deed deed, ShardOwner owner) throws Exception {
    String other = owner.server().equals("server-1") ? "server-2" : "server-1";
    int one = random.nextInt(2) + 1;
    int bookie = random.nextInt(3) + 1;
    return switch (deed) {
      case MOVE -> move(owner, other);
      case KILL_OWNER -> killServer(owner.server(), owner.epoch());
      case KILL_OTHER_SERVER -> killServer(other, -1);
      case STOP_OWNER -> {
        trial.pause(owner.server());
        yield () -> trial.resume(owner.server());
      }
      case KILL_MASTER -> {
        trial.kill("master-" + one);
        yield () -> trial.startMaster(one);
      }
      case KILL_PROXY -> {
        trial.kill("proxy-" + one);
        trial.startProxy(one);
        yield () -> trial.awaitReady("proxy-" + one, "Proxy ");
      }
      case KILL_BOOKIE -> {
        trial.kill("bookie-" + bookie);
        yield () -> {
          trial.startBookie(bookie);
          trial.awaitReady("bookie-" + bookie, "Bookie ");
        };
      }
      case STOP_BOOKIE -> {
        trial.pause("bookie-" + bookie);
        yield () -> trial.resume("bookie-" + bookie);
      }
      case RESTART_ZOOKEEPER -> {
        trial.kill("zookeeper");
        trial.startZooKeeper();
        yield () -> trial.awaitReady("zookeeper", "ZooKeeper on ");
      }
      case CUT_OWNER_FROM_ZOOKEEPER -> {
        cuts.cut(owner.server(), List.of(trial.port("zookeeper")));
        TimeUnit.SECONDS.sleep(12);
        yield cuts::mend;
      }
      case CUT_OWNER_FROM_BOOKIES -> {
        cuts.cut(
            owner.server(),
            List.of(trial.port("bookie-1"), trial.port("bookie-2"), trial.port("bookie-3")));
        TimeUnit.SECONDS.sleep(5);
        yield mended();
      }
      case CUT_PROXY_FROM_OWNER -> {
        cuts.cut("proxy-" + one, List.of(trial.port(owner.server())));
        TimeUnit.SECONDS.sleep(5);
        yield mended();
      }
    };
  }

  /// Who is cut off and stays the owner answers again only when it is not any more.
  private Undo mended() throws Exception {
    cuts.mend();
    return () -> {};
  }

  private Undo killServer(String server, long epoch) throws Exception {
    trial.kill(server);
    return () -> {
      if (epoch < 0) {
        TimeUnit.SECONDS.sleep(8); // until its ephemeral is gone
      }
      trial.startServer(Integer.parseInt(server.substring("server-".length())));
      trial.awaitReady(server, "Server ");
    };
  }

  private Undo move(ShardOwner owner, String to) throws Exception {
    PlacementWishes wishes =
        new PlacementWishes(
            cluster.coordination(), cluster.paths(), System::currentTimeMillis, new SecureRandom());
    wishes.want(SHARD.shard(), to);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (owner().epoch() == owner.epoch()) {
      if (System.nanoTime() - end > 0) {
        wishes.leave(SHARD.shard());
        throw new AssertionError("the shard does not move from " + owner.server() + " to " + to);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    return () -> wishes.leave(SHARD.shard());
  }

  /// Looks again while ZooKeeper is being restarted.
  private ShardOwner owner() throws Exception {
    ShardClaims claims =
        new ShardClaims(
            cluster.coordination(),
            cluster.paths(),
            new ShardClaims.Server("", "", 0),
            new SecureRandom());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    while (true) {
      try {
        return claims.owner(SHARD).orElseThrow(() -> new IOException("no shard 0")).owner();
      } catch (IOException e) {
        if (System.nanoTime() - end > 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(200);
      }
    }
  }
}
