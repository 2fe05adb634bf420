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

  void addTo(GivenSettings given) {
    given.addSeconds("--shutdown-delay", "shutdown-delay", shutdownDelay);
    given.addSeconds("--connection-age", "connection-age", connectionAge);
  }
}
