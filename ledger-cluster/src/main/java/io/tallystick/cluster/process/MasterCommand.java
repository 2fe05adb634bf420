package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.master.ClusterMaster;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs one master until it is told to stop.
@Command(
    name = "master",
    description = {
      "Run a master of a cluster in this process until it is interrupted.",
      "Of several masters one leads: it places shards on servers."
    },
    mixinStandardHelpOptions = true)
public final class MasterCommand implements Callable<Integer> {
  @Option(
      names = "--id",
      paramLabel = "NAME",
      required = true,
      description = "Its name, for the log")
  private String id = "";

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    ProcessLog.begin();
    ClusterMaster master = ClusterMaster.start(cluster.connect(), id);
    Stopping stopping = Stopping.of(master);
    Output.out(spec.commandLine())
        .println(String.format(Locale.ROOT, "Master %s of cluster %s", id, cluster.cluster()));
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
