package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.cluster.health.ProcessHealth;
import io.tallystick.cluster.health.ProcessMeters;
import io.tallystick.cluster.zoo.ZooKeeperEnsemble;
import io.tallystick.cluster.zoo.ZooKeeperServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs one server of ZooKeeper until it is told to stop.
@Command(
    name = "zookeeper",
    description = {
      "Run a server of Apache ZooKeeper in this process until it is interrupted.",
      "It is ZooKeeper's own. For trials and the chart; a server alone without --ensemble."
    },
    mixinStandardHelpOptions = true)
public final class ZooKeeperCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./zookeeper}",
      description =
          "The folder of its files, made if it does not exist (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--address",
      paramLabel = "IP",
      defaultValue = "127.0.0.1",
      description = "The address on which it listens. Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Option(
      names = "--port",
      converter = CheckedWords.Port.class,
      defaultValue = "2181",
      description = "The port for clients; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--ensemble",
      paramLabel = "HOST",
      split = ",",
      description =
          "The hosts of all servers of an ensemble, in the same order for each of them; they speak "
              + "to each other on ports 2888 and 3888. With --id")
  private List<String> ensemble = List.of();

  @Option(
      names = "--id",
      paramLabel = "NAME",
      description = "Which of the --ensemble it is: its host, or the host's first label")
  private @Nullable String id;

  @Option(
      names = "--ensemble-changed",
      description =
          "Start with another --ensemble than the one in which the data was written. Only when no "
              + "server of either runs and a majority of the new one has all that was decided; "
              + "else the cluster forgets, or has two histories")
  private boolean ensembleChanged;

  @Mixin private ManagementOptions management = new ManagementOptions();
  @Mixin private SettingsOption settings = new SettingsOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    Optional<ZooKeeperEnsemble> others = others();
    ProcessMeters meters = new ProcessMeters();
    try (ManagementServer health =
        management.start(data, ManagementOptions.ZOOKEEPER_PORT, meters)) {
      return run(others, health);
    }
  }

  private Optional<ZooKeeperEnsemble> others() throws UsageException {
    if (ensemble.isEmpty() && id == null) {
      return Optional.empty();
    }
    if (ensemble.isEmpty() || id == null) {
      throw new UsageException("--ensemble and --id go together");
    }
    try {
      return Optional.of(ZooKeeperEnsemble.of(ensemble, id));
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private int run(Optional<ZooKeeperEnsemble> others, ManagementServer health) throws Exception {
    ZooKeeperServer server =
        ZooKeeperServer.start(
            data, address, port, others, ensembleChanged, settings.read(), ExitHandler.EXIT);
    health.tell(
        () -> new ProcessHealth(List.of(ProcessHealth.Part.of("zooKeeper", server.isServing()))));
    Stopping stopping = Stopping.of(health.with(server));
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "ZooKeeper on %s, health and metrics on port %d, data in %s",
                server.target(),
                health.port(),
                LocalPaths.shown(data.toAbsolutePath().normalize())));
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
