package io.tallystick.cli.operator;

import picocli.CommandLine.Option;

/// How clients of `tally up` learn to go elsewhere.
final class LeavingOptions {
  @Option(
      names = "--shutdown-delay",
      paramLabel = "SECONDS",
      defaultValue = "${env:TALLY_SHUTDOWN_DELAY:-0}",
      description =
          "For how long the service, told to end, says that it is not ready and still answers "
              + "(environment: TALLY_SHUTDOWN_DELAY). Default: ${DEFAULT-VALUE}")
  private long shutdownDelay;

  @Option(
      names = "--connection-age",
      paramLabel = "SECONDS",
      defaultValue = "0",
      description =
          "After how long a connection of gRPC takes no more calls, and its appends go on over "
              + "another. Default: never")
  private long connectionAge;

  @Option(
      names = "--disk-stall",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description =
          "After how long a disk that has not come back from one operation makes the service not "
              + "ready, 1 to 300. Default: ${DEFAULT-VALUE}")
  private long diskStall;

  void addTo(GivenSettings given) {
    given.addSeconds("--shutdown-delay", "shutdown-delay", shutdownDelay);
    given.addSeconds("--connection-age", "connection-age", connectionAge);
    given.addSeconds("--disk-stall", "disk-stall", diskStall);
  }
}
