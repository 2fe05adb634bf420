package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.cluster.health.ProcessMeters;
import io.tallystick.cluster.master.ClusterMaster;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.OutsideDuties;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
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
      "Of several masters one leads: it places shards on servers, and asks time authorities, a "
          + "T-Ledger and witnesses, if --settings names any (tallystick.time.*, "
          + "tallystick.witness.*)."
    },
    mixinStandardHelpOptions = true)
public final class MasterCommand implements Callable<Integer> {
  private static final int APART_SECONDS_MAX = 3_600;

  @Option(
      names = "--id",
      converter = CheckedWords.Name.class,
      paramLabel = "NAME",
      required = true,
      description = "Its name, for the log")
  private String id = "";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./master}",
      description =
          "A folder for evidence against a T-Ledger, made if it does not exist (environment: "
              + "TALLY_DATA). Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--suspicions-apart",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "At least so long lies between two moves of one shard, whatever happens to its servers. "
              + "Default: ${DEFAULT-VALUE}")
  private int apartSeconds;

  @Mixin private ServiceSettingsOption settings = new ServiceSettingsOption();
  @Mixin private ManagementOptions management = new ManagementOptions();
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    if (apartSeconds < 1 || apartSeconds > APART_SECONDS_MAX) {
      throw new UsageException("--suspicions-apart is 1 to " + APART_SECONDS_MAX);
    }
    ProcessLog.begin();
    ProcessMeters meters = new ProcessMeters();
    try (ManagementServer health = management.start(data, ManagementOptions.MASTER_PORT, meters)) {
      return run(health, meters);
    }
  }

  private int run(ManagementServer health, ProcessMeters meters) throws Exception {
    ClusterMaster master =
        ClusterMaster.start(
            new ClusterMaster.Settings(
                cluster.zooKeeper(),
                cluster.cluster(),
                id,
                cluster.tls(),
                Duration.ofSeconds(apartSeconds),
                outside(),
                data),
            SignatureProviders.best(),
            meters::ofWhatEnds);
    master.register(meters.ofProcess());
    health.tell(master::health);
    Stopping stopping = Stopping.of(health.with(master));
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "Master %s of cluster %s, health and metrics on port %d",
                id,
                cluster.cluster(),
                health.port()));
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }

  private OutsideDuties.Settings outside() throws UsageException, IOException {
    try {
      return OutsideDuties.Settings.of(settings.read());
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
