package io.tallystick.cluster.process;

import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cluster.health.ManagementServer;
import io.tallystick.cluster.health.ProcessMeters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where a process serves health and metrics.
final class ManagementOptions {
  /// By role, so that one of each runs on a machine.
  static final int SERVER_PORT = 4522;

  static final int MASTER_PORT = 4532;
  static final int BOOKIE_PORT = 4542;
  static final int ZOOKEEPER_PORT = 4552;

  private static final int PORT_MAX = 65_535;

  @Option(
      names = "--management-port",
      paramLabel = "PORT",
      defaultValue = "${env:TALLY_MANAGEMENT_PORT}",
      description =
          "The port for health and metrics, plain HTTP; 0 takes a free one (environment: "
              + "TALLY_MANAGEMENT_PORT). Default: 4522 of a server, 4532 of a master, 4542 of a "
              + "bookie, 4552 of ZooKeeper")
  private @Nullable Integer port;

  @Option(
      names = "--management-address",
      paramLabel = "IP",
      defaultValue = "${env:TALLY_MANAGEMENT_ADDRESS:-127.0.0.1}",
      description =
          "The IP address of --management-port (environment: TALLY_MANAGEMENT_ADDRESS). Default: "
              + "${DEFAULT-VALUE}")
  private String address = "";

  /// @param folder of the process
  /// @param byDefault the port of the role
  ManagementServer start(Path folder, int byDefault, ProcessMeters meters)
      throws IOException, UsageException {
    int wanted = port == null ? byDefault : port;
    if (wanted < 0 || wanted > PORT_MAX) {
      throw new UsageException("--management-port is 0 to " + PORT_MAX);
    }
    return ManagementServer.start(new InetSocketAddress(literal(), wanted), folder, meters);
  }

  private InetAddress literal() throws UsageException {
    try {
      return InetAddress.ofLiteral(address);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--management-address is " + address + ", which is no IP address");
    }
  }
}
