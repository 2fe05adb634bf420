package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.BatchLoad;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How long after a master has suspected the killed owner of a shard is an append acknowledged by
/// another server, beside the first append of a killed `tally up` that is started again? Both have
/// as many journals, and got a twentieth of them anew before each kill. The second server follows
/// the shard, or is cold: its folder is empty, and it fetches a savepoint from the bookies. What it
/// waited for the lease of the owner before, by its own log, is not counted.
final class TakeoverCase implements MeasuredCase {
  private static final Pattern LEASE = Pattern.compile("shard 0: waited ([0-9]{1,9}) ms for");
  private static final int FURTHER_PART = 20;
  private static final double FOLLOWER_WANTED = 0.5;
  private static final double COLD_WANTED = 2;
  private static final int PAYLOAD_BYTES = 256;

  private final ClusterSizes sizes;
  private final boolean cold;

  TakeoverCase(ClusterSizes sizes, boolean cold) {
    this.sizes = sizes;
    this.cold = cold;
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] takeovers = new double[run.repetitions()];
    double[] restarts = new double[run.repetitions()];
    ClientKey owner = ClientKey.generate();
    try (BenchCluster cluster = BenchCluster.start(run, 1, sizes.heap());
        TallyClient client = cluster.client("trust");
        LocalTwin twin = new LocalTwin(run.home(), owner)) {
      LedgerHandle ledger = cluster.ledgers(client, owner, 1).getFirst();
      append(run, ledger, sizes.journals());
      append(run, twin.ledger(), sizes.journals());
      for (int i = 0; i < run.repetitions(); i++) {
        takeovers[i] = takeover(run, cluster, ledger);
        append(run, twin.ledger(), further());
        restarts[i] = twin.restart();
        run.say(
            String.format(
                Locale.ROOT,
                "  %.2f s and the lease, a restart of tally up %.2f s",
                takeovers[i],
                restarts[i]));
      }
    }
    String name = cold ? "takeover-cold" : "takeover";
    return sizes.toldOfTakeover(
        BenchCase.spread(name, "s", takeovers),
        BenchCase.spread(name + "-restart", "s", restarts),
        BenchCase.beside(
            name + "-ratio",
            BenchCase.ratios(takeovers, restarts),
            "x",
            cold ? COLD_WANTED : FOLLOWER_WANTED));
  }

  private long further() {
    return Math.max(1, sizes.journals() / FURTHER_PART);
  }

  private static void append(Run run, LedgerHandle ledger, long journals) throws Exception {
    BatchLoad load = new BatchLoad(ledger);
    load.awaitAcknowledged(
        journals, count -> run.say(String.format(Locale.ROOT, "  %,d journals", count)));
    load.stop();
  }

  private static JournalDraft one() {
    return JournalDraft.of(Bytes.wrap(new byte[PAYLOAD_BYTES]), "application/octet-stream");
  }

  /// What a server waited for the lease when it took over last.
  private static long leaseMs(BenchCluster cluster, String taker) throws IOException {
    Matcher waits = LEASE.matcher(cluster.trial().said(taker));
    long waitedMs = -1;
    while (waits.find()) {
      waitedMs = Long.parseLong(waits.group(1));
    }
    if (waitedMs < 0) {
      throw new IOException(taker + " does not say how long it waited for the lease");
    }
    return waitedMs;
  }

  /// @return seconds from the suspicion to the acknowledgement, without the lease
  private double takeover(Run run, BenchCluster cluster, LedgerHandle ledger) throws Exception {
    String owner = cluster.owner(0);
    String other = BenchCluster.other(owner);
    if (cold) {
      cluster.trial().kill(other);
      cluster.empty(other);
    } else {
      cluster.awaitFollows(other);
    }
    append(run, ledger, further());
    if (cold) {
      cluster.trial().kill(owner);
      cluster.awaitGone(owner);
      cluster.startServer(other);
    } else {
      cluster.awaitIdle(other);
      cluster.trial().kill(owner);
    }
    var _ = ledger.append(one());
    long acknowledgedMs = System.currentTimeMillis();
    long suspectedMs = cluster.suspectedMs(0);
    long leaseMs = leaseMs(cluster, other);
    cluster.startServer(owner);
    if (cold) {
      cluster.awaitFollows(owner);
    }
    return (acknowledgedMs - suspectedMs - leaseMs) / 1e3;
  }

  /// A `tally up` with as many journals.
  private static final class LocalTwin implements AutoCloseable {
    private final Path home;
    private final ClientKey owner;
    private ServiceProcess service;
    private final TallyClient client;
    private final LedgerHandle ledger;

    LocalTwin(Path home, ClientKey owner) throws Exception {
      this.home = home;
      this.owner = owner;
      this.service = start(0);
      this.client = client("up.trust");
      this.ledger = client.createLedger("bench", List.of(owner), LedgerOptions.DEFAULT);
    }

    private ServiceProcess start(int port) throws Exception {
      return ServiceProcess.start(home.resolve("up"), home.resolve("up.log"), port);
    }

    private TallyClient client(String trust) throws Exception {
      return TallyClient.connect(
          ClientConfig.of(service.target(), home.resolve(trust)).withRetry(BenchCluster.PATIENT));
    }

    LedgerHandle ledger() {
      return ledger;
    }

    /// @return seconds from the start of the process to the acknowledgement
    double restart() throws Exception {
      int port = service.port();
      service.kill();
      long started = System.nanoTime();
      service = start(port);
      try (TallyClient probe = client("probe-" + started + ".trust")) {
        var _ = probe.open(ledger.id(), owner).append(one());
        return (System.nanoTime() - started) / 1e9;
      }
    }

    @Override
    public void close() {
      client.close();
      service.close();
    }
  }
}
