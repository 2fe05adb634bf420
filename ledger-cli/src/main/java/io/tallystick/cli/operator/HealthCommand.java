package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.model.Printable;
import io.tallystick.proxy.RunningService;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Asks a service on this machine whether it is ready: for a container's health check, where there
/// is no other program to ask.
@Command(
    name = "health",
    description = {
      "Ask a service that runs on a data directory of this machine whether it is ready.",
      "Over TLS nothing is asked: give such a service a --management-port."
    },
    mixinStandardHelpOptions = true)
public final class HealthCommand implements Callable<Integer> {
  private static final int WAIT_MILLIS_MAX = 5_000;
  private static final String ANY_ADDRESS = "0.0.0.0";
  private static final String LOOPBACK = "127.0.0.1";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the service (environment: TALLY_DATA). Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--management-address",
      paramLabel = "IP",
      defaultValue = "${env:TALLY_MANAGEMENT_ADDRESS:-127.0.0.1}",
      description =
          "The service's own --management-address (environment: TALLY_MANAGEMENT_ADDRESS). Default: "
              + "${DEFAULT-VALUE}")
  private String address = "";

  @Mixin private Output output = new Output();

  @Override
  public Integer call() throws IOException {
    Path own = data.resolve(RunningService.MANAGEMENT_PORT_FILE);
    Path shared = data.resolve(RunningService.HTTP_PORT_FILE);
    String host = Files.exists(own) && !address.equals(ANY_ADDRESS) ? address : LOOPBACK;
    Path file = Files.exists(own) ? own : shared;
    if (!Files.exists(file)) {
      return answer("no service runs on " + data, false);
    }
    URI uri =
        URI.create(
            String.format(
                Locale.ROOT,
                "http://%s:%s/actuator/health/readiness",
                host.contains(":") ? "[" + host + "]" : host,
                Files.readString(file).strip()));
    try {
      int status = ask(uri);
      return answer(
          status == HttpURLConnection.HTTP_OK ? "ready" : "not ready: status " + status,
          status == HttpURLConnection.HTTP_OK);
    } catch (IOException e) {
      return answer("not reached at " + uri + ": " + e.getMessage(), false);
    }
  }

  private static int ask(URI uri) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
    connection.setConnectTimeout(WAIT_MILLIS_MAX);
    connection.setReadTimeout(WAIT_MILLIS_MAX);
    try {
      return connection.getResponseCode();
    } finally {
      connection.disconnect();
    }
  }

  private int answer(String text, boolean ready) {
    output.print(Printable.of(text), Output.object("ready", ready, "detail", text));
    return ready ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
