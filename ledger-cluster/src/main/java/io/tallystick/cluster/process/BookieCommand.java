package io.tallystick.cluster.process;

import io.micrometer.core.instrument.Gauge;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.book.Bookie;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.cluster.health.ProcessHealth;
import io.tallystick.cluster.health.ProcessMeters;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs one bookie until it is told to stop.
@Command(
    name = "bookie",
    description = {
      "Run a bookie of Apache BookKeeper in this process until it is interrupted.",
      "It is BookKeeper's own, with the settings that a cluster needs. For trials and the chart; any "
          + "BookKeeper with these settings does as well (docs/operations/cluster.md)."
    },
    mixinStandardHelpOptions = true)
public final class BookieCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./bookie}",
      description =
          "The folder of its files, made if it does not exist (environment: TALLY_DATA). Default: "
              + "${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--id",
      paramLabel = "NAME",
      description =
          "Its name, unique in the cluster; the files belong to it for ever. Default: its address "
              + "and port")
  private @Nullable String id;

  @Option(
      names = "--address",
      paramLabel = "IP",
      defaultValue = "127.0.0.1",
      description = "The address at which servers find it. Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Option(
      names = "--port",
      converter = CheckedWords.Port.class,
      defaultValue = "3181",
      description = "The port. Default: ${DEFAULT-VALUE}")
  private int port;

  @Mixin private ManagementOptions management = new ManagementOptions();
  @Mixin private ZooKeeperOptions zooKeeper = new ZooKeeperOptions();
  @Mixin private SettingsOption settings = new SettingsOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    ProcessMeters meters = new ProcessMeters();
    try (ManagementServer health = management.start(data, ManagementOptions.BOOKIE_PORT, meters)) {
      return run(health, meters);
    }
  }

  private int run(ManagementServer health, ProcessMeters meters) throws Exception {
    String name = id == null ? String.format(Locale.ROOT, "%s:%d", address, port) : id;
    Bookie bookie =
        Bookie.start(
            new Bookie.Settings(zooKeeper.metadata(), name, data, address, port, settings.read()));
    Gauge.builder("ledger.bookie.writable", bookie, each -> each.isWritable() ? 1 : 0)
        .description("whether the bookie takes entries")
        .register(meters.ofProcess());
    health.tell(
        () -> new ProcessHealth(List.of(ProcessHealth.Part.of("bookie", bookie.isWritable()))));
    Stopping stopping = Stopping.of(health.with(bookie));
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "Bookie %s on %s:%d, health and metrics on port %d, data in %s",
                name,
                address,
                port,
                health.port(),
                LocalPaths.shown(data.toAbsolutePath().normalize())));
    return stopping.await(bookie::isRunning) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
