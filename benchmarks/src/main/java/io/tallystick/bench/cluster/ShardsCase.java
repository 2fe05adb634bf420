package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.AppendLoads;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// What do further shards and servers cost where there are no further processors? A cluster of four
/// shards on two servers takes batches of 1,000 journals of 256 B, eight in flight in all, for a
/// ledger in each shard; another, of one shard on one server, takes them for one ledger. By turns:
/// each is started anew, warmed up, measured and ended before the other one starts.
final class ShardsCase implements MeasuredCase {
  private static final double WANTED = 0.8;
  private static final int SHARDS = 4;
  private static final int PAYLOAD_BYTES = 256;
  private static final int BATCH = 1000;
  private static final int IN_FLIGHT = 8;

  private final ClusterSizes sizes;

  ShardsCase(ClusterSizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] one = new double[run.repetitions()];
    double[] all = new double[run.repetitions()];
    for (int i = 0; i < run.repetitions(); i++) {
      if (i % 2 == 0) {
        one[i] = perSecond(run, 1);
      }
      all[i] = perSecond(run, SHARDS);
      if (i % 2 == 1) {
        one[i] = perSecond(run, 1);
      }
      run.say(
          String.format(
              Locale.ROOT,
              "  %,.0f journals/s in %d shards on %d servers, %,.0f in one on one",
              all[i],
              SHARDS,
              BenchCluster.SERVERS,
              one[i]));
    }
    return sizes.told(
        BenchCase.spread("shards-4", BenchCase.JOURNALS_PER_SECOND, all),
        BenchCase.spread("shards-1", BenchCase.JOURNALS_PER_SECOND, one),
        BenchCase.beside("shards-ratio", BenchCase.ratios(all, one), "x", WANTED));
  }

  /// Of a cluster of its own, with one server if it has one shard.
  private double perSecond(Run run, int shards) throws Exception {
    try (BenchCluster cluster = BenchCluster.start(run, shards, sizes.heap());
        TallyClient client = cluster.client("trust");
        ExecutorService loads = Executors.newFixedThreadPool(shards)) {
      if (shards == 1) {
        cluster.leaveOne(shards);
      } else {
        for (int shard = 0; shard < shards; shard++) {
          cluster.place(shard, BenchCluster.server(1 + shard % BenchCluster.SERVERS));
        }
      }
      List<LedgerHandle> ledgers = cluster.ledgers(client, ClientKey.generate(), shards);
      var _ = perSecond(loads, ledgers, run.warmUpSeconds());
      return perSecond(loads, ledgers, run.seconds());
    }
  }

  private static double perSecond(ExecutorService loads, List<LedgerHandle> ledgers, double seconds)
      throws Exception {
    List<Callable<AppendLoads.Answered>> each = new ArrayList<>();
    for (LedgerHandle ledger : ledgers) {
      AppendLoads.Load load =
          new AppendLoads.Load(ledger, PAYLOAD_BYTES, BATCH, IN_FLIGHT / ledgers.size());
      each.add(() -> AppendLoads.closedLoop(load, seconds));
    }
    double sum = 0;
    try {
      for (Future<AppendLoads.Answered> done : loads.invokeAll(each)) {
        sum += done.get().perSecond();
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("a load failed: " + e.getCause(), e);
    }
    return sum;
  }
}
