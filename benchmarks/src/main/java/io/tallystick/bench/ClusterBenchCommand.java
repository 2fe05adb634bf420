package io.tallystick.bench;

import io.tallystick.bench.cluster.ClusterBench;
import io.tallystick.bench.cluster.ClusterSizes;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures a cluster on this machine.
@Command(
    name = "cluster",
    description = {
      "Measure a cluster of processes on this machine, on loopback: ZooKeeper, 3 bookies, 2 masters, "
          + "2 servers and 2 proxies, as ./tally runs them.",
      "batch: batches of journals beside bare adds of the same frames to the bookies. singles: "
          + "signed singles, 64 in flight, beside one bare add. takeover: by a follower, beside a "
          + "restart of tally up; takeover-cold: by a server without files. shards: 4 shards on 2 "
          + "servers beside a cluster of one shard and one server."
    },
    mixinStandardHelpOptions = true)
final class ClusterBenchCommand implements Callable<Integer> {
  private static final Pattern HEAP = Pattern.compile("[1-9][0-9]{0,5}[mg]");

  @Mixin private Output output = new Output();
  @Mixin private MeasuringOptions measuring = new MeasuringOptions();
  @Mixin private ChosenCases chosen = new ChosenCases();

  @Option(
      names = "--journals",
      defaultValue = "200000",
      description =
          "How many journals the shard that is taken over has, 5000000 at most, for which the "
              + "limits are meant. Default: ${DEFAULT-VALUE}")
  private long journals;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = ClusterSizes.HEAP_SHIPPED,
      description = "The heap of each process, as in 512m. Default: ${DEFAULT-VALUE}, as shipped")
  private String heap = "";

  @Override
  public Integer call() throws Exception {
    if (journals < 1 || journals > ClusterSizes.JOURNALS_MEANT) {
      throw new UsageException("--journals is 1 to " + ClusterSizes.JOURNALS_MEANT);
    }
    if (!HEAP.matcher(heap).matches()) {
      throw new UsageException("--heap is megabytes or gigabytes, as in 512m or 1g");
    }
    measuring.run("cluster", ClusterBench.cases(new ClusterSizes(journals, heap)), chosen, output);
    return ExitCode.OK;
  }
}
