package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.zoo.ZooKeeperServer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.zookeeper.server.embedded.ExitHandler;
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
      "It is ZooKeeper's own. For trials and the chart; a server alone unless --settings names an "
          + "ensemble."
    },
    mixinStandardHelpOptions = true)
public final class ZooKeeperCommand implements Callable<Integer> {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./zookeeper",
      description = "The folder of its files, made if it does not exist. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--address",
      paramLabel = "IP",
      defaultValue = "127.0.0.1",
      description = "The address on which it listens. Default: ${DEFAULT-VALUE}")
  private String address = "";

  @Option(
      names = "--port",
      defaultValue = "2181",
      description = "The port for clients; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Mixin private SettingsOption settings = new SettingsOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    ZooKeeperServer server =
        ZooKeeperServer.start(data, address, port, settings.read(), ExitHandler.EXIT);
    Stopping stopping = Stopping.of(server);
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "ZooKeeper on %s, data in %s",
                server.target(),
                LocalPaths.shown(data.toAbsolutePath().normalize())));
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
