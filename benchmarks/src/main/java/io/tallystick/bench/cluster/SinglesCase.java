package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.Latencies;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.AppendLoads;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// How long does one of 64 signed single journals of 256 B in flight take until its receipt is
/// verified, beside one bare add of the frames that came of them? By turns.
final class SinglesCase implements MeasuredCase {
  private static final double WANTED = 5;
  private static final int IN_FLIGHT = 64;

  private final ClusterSizes sizes;

  SinglesCase(ClusterSizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    List<Latencies> through = new ArrayList<>();
    List<Latencies> bare = new ArrayList<>();
    try (BenchCluster cluster = BenchCluster.start(run, 1, sizes.heap());
        BareAdds adds = BareAdds.connect(cluster.trial().zooKeeper());
        TallyClient client = cluster.client("trust")) {
      LedgerHandle ledger = cluster.ledgers(client, ClientKey.generate(), 1).getFirst();
      var _ = AppendLoads.inFlight(ledger, IN_FLIGHT, run.warmUpSeconds());
      var _ = adds.add(adds.newestFrames(), run.warmUpSeconds() / 2);
      for (int i = 0; i < run.repetitions(); i++) {
        if (i % 2 == 1) {
          bare.add(Latencies.of(adds.add(adds.newestFrames(), run.seconds()).latencies()));
        }
        ClusterCosts before = ClusterCosts.now(cluster);
        long[] nanos = AppendLoads.inFlight(ledger, IN_FLIGHT, run.seconds());
        String costs = before.per(nanos.length, ClusterCosts.now(cluster));
        through.add(Latencies.of(Arrays.stream(nanos)));
        if (i % 2 == 0) {
          bare.add(Latencies.of(adds.add(adds.newestFrames(), run.seconds()).latencies()));
        }
        run.say(
            String.format(
                Locale.ROOT,
                "  p50 %.2f ms, p99 %.2f ms, %,.0f journals/s; a bare add p50 %.2f ms, p99 %.2f ms; %s",
                through.getLast().p50(),
                through.getLast().p99(),
                nanos.length / run.seconds(),
                bare.getLast().p50(),
                bare.getLast().p99(),
                costs));
      }
    }
    double[] p50 = Latencies.each(through, Latencies::p50);
    double[] bareP50 = Latencies.each(bare, Latencies::p50);
    return sizes.told(
        BenchCase.spread("singles-p50", "ms", p50),
        BenchCase.spread("singles-bare-p50", "ms", bareP50),
        BenchCase.beside("singles-ratio", BenchCase.ratios(p50, bareP50), "x", WANTED));
  }
}
