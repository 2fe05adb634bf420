package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.cli.process.Folders;
import io.tallystick.cli.process.JvmOptions;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.process.ClusterTrial;
import io.tallystick.master.placement.PlacementWishes;
import io.tallystick.master.placement.ShardTarget;
import io.tallystick.master.registry.ClusterRegistry;
import io.tallystick.storage.replicated.ShardClaims;
import io.tallystick.storage.replicated.ShardOwner;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/// A cluster of processes on this machine, each with the options and the settings that `./tally`
/// gives it: ZooKeeper, 3 bookies, 2 masters, 2 servers, 2 proxies. It ends with this process. One
/// runs at a time.
final class BenchCluster implements AutoCloseable {
  /// Whoever loses a server comes back this often.
  static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(20), Duration.ofMillis(100), Duration.ofSeconds(50));

  static final int SERVERS = 2;
  private static final long WAIT_SECONDS_MAX = 120;
  private static final long LOOK_MILLIS = 100;
  private static final long IDLE_LOOK_MILLIS = 1_000;
  private static final double IDLE_SHARE = 0.1;

  private final ClusterTrial trial;
  private final Path folder;
  private final ClusterConnection connection;
  private final ShardClaims claims;
  private final Thread atExit;

  private BenchCluster(
      ClusterTrial trial, Path folder, ClusterConnection connection, Thread atExit) {
    this.trial = trial;
    this.folder = folder;
    this.connection = connection;
    this.atExit = atExit;
    this.claims =
        new ShardClaims(
            connection.coordination(),
            connection.paths(),
            new ShardClaims.Server("", "", 0),
            new SecureRandom());
  }

  /// Starts it, and waits until each shard has an owner.
  ///
  /// @param heap of each process, as in `512m`
  static BenchCluster start(MeasuredCase.Run run, int shards, String heap) throws Exception {
    Path folder = run.home().resolve("cluster");
    if (Files.exists(folder)) {
      Folders.delete(folder); // of one before it in the same case
    }
    ClusterTrial trial =
        new ClusterTrial(folder, heap, _ -> {}, (_, command) -> asShipped(command, heap));
    Thread atExit = new Thread(trial::close, "stop the cluster");
    Runtime.getRuntime().addShutdownHook(atExit);
    BenchCluster started;
    try {
      trial.start(shards);
      ClusterConnection connection =
          ClusterConnection.open(trial.zooKeeper(), ClusterTrial.CLUSTER);
      started = new BenchCluster(trial, folder, connection, atExit);
    } catch (Exception e) {
      trial.close();
      ServiceProcess.removeHook(atExit);
      throw e;
    }
    try {
      for (int shard = 0; shard < shards; shard++) {
        int each = shard;
        await("shard " + shard + " has an owner", () -> !started.owner(each).isEmpty());
      }
      return started;
    } catch (Exception e) {
      started.close();
      throw e;
    }
  }

  /// Has one server own all shards, and ends the other for good.
  void leaveOne(int shards) throws Exception {
    for (int shard = 0; shard < shards; shard++) {
      place(shard, server(1));
    }
    trial.kill(server(2));
    awaitGone(server(2));
  }

  /// A trial's command with what `./tally` gives in place of what a trial gives.
  private static List<String> asShipped(List<String> command, String heap) {
    int classPath = command.indexOf("-cp");
    List<String> words = new ArrayList<>();
    words.add(command.getFirst());
    words.addAll(JvmOptions.ofCommand());
    if (command.contains("bookie")) {
      words.addAll(JvmOptions.ofBookie());
    }
    words.addAll(List.of("-Xms" + heap, "-Xmx" + heap));
    for (int i = classPath; i < command.size(); i++) {
      if (command.get(i).startsWith("--ship-")) {
        i++; // and its value
      } else {
        words.add(command.get(i));
      }
    }
    return words;
  }

  ClusterTrial trial() {
    return trial;
  }

  /// The name of the server that owns a shard; empty if none does.
  String owner(int shard) throws IOException, CorruptStreamException {
    return claims
        .owner(new StreamId(shard))
        .map(ShardClaims.Seen::owner)
        .map(ShardOwner::server)
        .orElse("");
  }

  /// The server that is not this one.
  static String other(String server) {
    return server.equals(server(1)) ? server(2) : server(1);
  }

  static String server(int number) {
    return "server-" + number;
  }

  private static int number(String server) {
    return Integer.parseInt(server.substring(server.indexOf('-') + 1));
  }

  /// When a master last gave a shard to another server, milliseconds since 1970.
  long suspectedMs(int shard) throws IOException, CorruptStreamException {
    return ShardTarget.read(connection.coordination(), connection.paths(), new StreamId(shard))
        .orElseThrow(() -> new IOException("shard " + shard + " was placed nowhere"))
        .atMs();
  }

  /// Has a server own a shard, and waits until it does.
  void place(int shard, String server) throws Exception {
    new PlacementWishes(
            connection.coordination(),
            connection.paths(),
            System::currentTimeMillis,
            new SecureRandom())
        .want(shard, server);
    await(
        String.format(Locale.ROOT, "shard %d is owned by %s", shard, server),
        () -> owner(shard).equals(server));
  }

  /// The processor time of a process, by its name.
  long processorNanos(String name) throws IOException {
    long pid =
        Long.parseLong(Files.readString(folder.resolve("log").resolve(name + ".pid")).strip());
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .map(Duration::toNanos)
        .orElse(0L);
  }

  /// Waits until a server has nothing to do: it has replayed all that it follows.
  void awaitIdle(String server) throws Exception {
    await(
        server + " is idle",
        () -> {
          long before = processorNanos(server);
          Thread.sleep(IDLE_LOOK_MILLIS);
          long spent = processorNanos(server) - before;
          return spent < IDLE_SHARE * TimeUnit.MILLISECONDS.toNanos(IDLE_LOOK_MILLIS);
        });
  }

  /// Waits until a server follows shard 0.
  void awaitFollows(String server) throws Exception {
    await(server + " follows shard 0", () -> trial.hasSaid(server, "shard 0 is followed"));
  }

  /// Starts a server that was killed.
  void startServer(String server) throws IOException, InterruptedException {
    trial.startServer(number(server));
    trial.awaitReady(server, "Server ");
  }

  /// Deletes the folder of a server that was killed.
  void empty(String server) throws IOException {
    Folders.delete(trial.folder(server));
  }

  /// Waits until a server that was killed is not shown any more.
  void awaitGone(String server) throws Exception {
    await(
        server + " is gone",
        () -> connection.coordination().read(connection.paths().server(server)).isEmpty());
  }

  TallyClient client(String trust) throws IOException {
    return TallyClient.connect(
        ClientConfig.of(String.join(",", trial.proxies()), folder.resolve(trust))
            .withRetry(PATIENT));
  }

  /// A ledger in each of the shards from 0 on.
  List<LedgerHandle> ledgers(TallyClient client, ClientKey owner, int shards) throws Exception {
    ClusterRegistry registry =
        new ClusterRegistry(connection.coordination(), connection.paths(), new SecureRandom());
    LedgerHandle[] found = new LedgerHandle[shards];
    int missing = shards;
    while (missing > 0) {
      LedgerHandle ledger = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
      int shard = registry.find(ledger.id()).orElseThrow();
      if (shard < shards && found[shard] == null) {
        found[shard] = ledger;
        missing--;
      }
    }
    return List.of(found);
  }

  private static void await(String what, Callable<Boolean> done) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX);
    while (!done.call()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("not within " + WAIT_SECONDS_MAX + " s: " + what);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  @Override
  public void close() {
    connection.close();
    trial.close();
    ServiceProcess.removeHook(atExit);
  }
}
