package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.cluster.proxy.HostedCluster;
import io.tallystick.proxy.NodeOpener;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.TallystickService;
import io.tallystick.wire.WireRole;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs one proxy of a cluster until it is told to stop.
@Command(
    name = "proxy",
    description = {
      "Run a proxy of a cluster in this process until it is interrupted.",
      "Clients speak to proxies alone, over gRPC and REST, as they do to `tally up`."
    },
    mixinStandardHelpOptions = true)
public final class ProxyCommand implements Callable<Integer> {
  private static final long OWNER_MILLIS = 60_000;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./proxy}",
      description =
          "A folder for its own small files, made if it does not exist (environment: TALLY_DATA). "
              + "Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--port",
      converter = CheckedWords.Port.class,
      defaultValue = "4510",
      description = "The port for gRPC; 0 takes a free one. Default: ${DEFAULT-VALUE}")
  private int port;

  @Option(
      names = "--http-port",
      converter = CheckedWords.Port.class,
      paramLabel = "PORT",
      description =
          "The port for REST. Default: the port after --port, or a free one if --port is 0")
  private @Nullable Integer httpPort;

  @Option(
      names = "--reads-from-owners-alone",
      description =
          "Ask owners of shards alone. Default: those who follow a shard answer a part of what "
              + "names a size, a jsn or a block, and go on while the owner is lost")
  private boolean ownersAlone;

  @Option(
      names = "--management-port",
      paramLabel = "PORT",
      defaultValue = "${env:TALLY_MANAGEMENT_PORT}",
      description =
          "A port for health and metrics alone, plain HTTP; 0 takes a free one (environment: "
              + "TALLY_MANAGEMENT_PORT). Default: they are on the port for REST")
  private @Nullable Integer managementPort;

  @Option(
      names = "--management-address",
      paramLabel = "IP",
      defaultValue = "${env:TALLY_MANAGEMENT_ADDRESS}",
      description =
          "The IP address of --management-port (environment: TALLY_MANAGEMENT_ADDRESS). Default: "
              + "127.0.0.1")
  private @Nullable String managementAddress;

  @Mixin private ServiceSettingsOption settings = new ServiceSettingsOption();
  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    NodeOpener opener =
        (_, _, _, _, _) -> {
          ClusterConnection connection = cluster.connect();
          try {
            ClusterRoutes routes = ClusterRoutes.open(connection, cluster.tls(), WireRole.PROXY);
            return new HostedCluster(
                (ownersAlone ? routes : routes.withFollowers()).awaitOwner(OWNER_MILLIS));
          } catch (Exception e) {
            connection.close();
            throw e;
          }
        };
    RunningService service =
        TallystickService.start(opener, settings.read(), arguments().toArray(String[]::new));
    Stopping stopping = Stopping.of(service);
    Output.out(spec.commandLine())
        .println(
            String.format(
                Locale.ROOT,
                "Proxy of cluster %s, listening on %s, REST on %s",
                cluster.cluster(),
                service.target(),
                service.httpTarget()));
    return stopping.await(() -> true) ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.data-dir=" + data);
    arguments.add("--tallystick.port=" + port);
    if (httpPort != null) {
      arguments.add("--tallystick.http-port=" + httpPort);
    }
    if (managementPort != null) {
      arguments.add("--tallystick.management.port=" + managementPort);
    }
    if (managementAddress != null) {
      arguments.add("--tallystick.management.address=" + managementAddress);
    }
    return arguments;
  }
}
