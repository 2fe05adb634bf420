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

/// What do further shards and servers cost where there are no further processors? One cluster of
/// four shards on two servers takes batches of 1,000 journals of 256 B, eight in flight in all, by
/// turns for one ledger of one shard and for a ledger in each.
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
    try (BenchCluster cluster = BenchCluster.start(run, SHARDS, sizes.heap());
        TallyClient client = cluster.client("trust");
        ExecutorService loads = Executors.newFixedThreadPool(SHARDS)) {
      for (int shard = 0; shard < SHARDS; shard++) {
        cluster.place(shard, BenchCluster.server(1 + shard % BenchCluster.SERVERS));
      }
      List<LedgerHandle> ledgers = cluster.ledgers(client, ClientKey.generate(), SHARDS);
      List<LedgerHandle> first = ledgers.subList(0, 1);
      var _ = perSecond(loads, ledgers, run.warmUpSeconds());
      for (int i = 0; i < run.repetitions(); i++) {
        if (i % 2 == 0) {
          one[i] = perSecond(loads, first, run.seconds());
        }
        all[i] = perSecond(loads, ledgers, run.seconds());
        if (i % 2 == 1) {
          one[i] = perSecond(loads, first, run.seconds());
        }
        run.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s in %d shards, %,.0f in one",
                all[i],
                SHARDS,
                one[i]));
      }
    }
    return sizes.told(
        BenchCase.spread("shards-4", BenchCase.JOURNALS_PER_SECOND, all),
        BenchCase.spread("shards-1", BenchCase.JOURNALS_PER_SECOND, one),
        BenchCase.beside("shards-ratio", BenchCase.ratios(all, one), "x", WANTED));
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
