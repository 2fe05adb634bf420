package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.BenchCase;
import io.tallystick.bench.figure.MeasuredCase;
import io.tallystick.bench.service.AppendLoads;
import io.tallystick.client.ClientKey;
import io.tallystick.client.TallyClient;
import java.util.List;
import java.util.Locale;

/// How much of what bare bookies take does a client get through proxy and server? Batches of 1,000
/// journals of 256 B under one signature, eight in flight, every receipt verified, by turns with
/// bare adds of the frames that came of them.
final class ClusterBatchCase implements MeasuredCase {
  private static final double WANTED = 0.6;
  private static final int PAYLOAD_BYTES = 256;
  private static final int BATCH = 1000;
  private static final int IN_FLIGHT = 8;

  private final ClusterSizes sizes;

  ClusterBatchCase(ClusterSizes sizes) {
    this.sizes = sizes;
  }

  @Override
  public List<BenchCase> measure(Run run) throws Exception {
    double[] through = new double[run.repetitions()];
    double[] bare = new double[run.repetitions()];
    double[] frames = new double[run.repetitions()];
    try (BenchCluster cluster = BenchCluster.start(run, 1, sizes.heap());
        BareAdds adds = BareAdds.connect(cluster.trial().zooKeeper());
        TallyClient client = cluster.client("trust")) {
      AppendLoads.Load load =
          new AppendLoads.Load(
              cluster.ledgers(client, ClientKey.generate(), 1).getFirst(),
              PAYLOAD_BYTES,
              BATCH,
              IN_FLIGHT);
      AppendLoads.closedLoop(load, run.warmUpSeconds());
      var _ = adds.add(adds.newestFrames(), run.warmUpSeconds() / 2);
      for (int i = 0; i < run.repetitions(); i++) {
        // Whoever comes second may find a slower machine: the order changes each time.
        if (i % 2 == 1) {
          bare[i] = adds.add(adds.newestFrames(), run.seconds()).perSecond();
        }
        ClusterCosts before = ClusterCosts.now(cluster);
        AppendLoads.Answered answered = AppendLoads.closedLoop(load, run.seconds());
        String costs = before.per(answered.journals(), ClusterCosts.now(cluster));
        through[i] = answered.perSecond();
        List<BareAdds.Frame> newest = adds.newestFrames();
        frames[i] = newest.stream().mapToLong(BareAdds.Frame::bytes).average().orElseThrow();
        if (i % 2 == 0) {
          bare[i] = adds.add(newest, run.seconds()).perSecond();
        }
        run.say(
            String.format(
                Locale.ROOT,
                "  %,.0f journals/s, %,.0f by bare adds of frames of %,.0f bytes; %s",
                through[i],
                bare[i],
                frames[i],
                costs));
      }
    }
    return sizes.told(
        BenchCase.spread("batch", BenchCase.JOURNALS_PER_SECOND, through),
        BenchCase.spread("batch-bare", BenchCase.JOURNALS_PER_SECOND, bare),
        BenchCase.spread("batch-frame", "bytes", frames),
        BenchCase.beside("batch-ratio", BenchCase.ratios(through, bare), "x", WANTED));
  }
}
