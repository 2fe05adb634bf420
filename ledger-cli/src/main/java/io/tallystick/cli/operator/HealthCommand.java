package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.model.Printable;
import io.tallystick.proxy.RunningService;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// Asks a service, or a process of a cluster, whether it is ready: for a container's health check,
/// where there is no other program to ask.
@Command(
    name = "health",
    description = {
      "Ask a service, or a process of a cluster, whether it is ready, and print what is not.",
      "It is the one that runs on --data, or is at --url.",
      "Over TLS nothing is asked: give such a service a --management-port."
    },
    mixinStandardHelpOptions = true)
public final class HealthCommand implements Callable<Integer> {
  private static final int WAIT_MILLIS_MAX = 5_000;
  private static final String ANY_ADDRESS = "0.0.0.0";
  private static final String LOOPBACK = "127.0.0.1";
  private static final String READINESS = "/actuator/health/readiness";
  private static final String UP = "UP";
  private static final int ANSWER_BYTES_MAX = 64 << 10;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${env:TALLY_DATA:-./data}",
      description =
          "The data directory of the service (environment: TALLY_DATA). Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Where health is served, http://HOST:PORT, in place of a folder")
  private @Nullable URI url;

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
    return url == null ? askFolder() : ask(url.toString());
  }

  private Integer askFolder() throws IOException {
    Path own = data.resolve(RunningService.MANAGEMENT_PORT_FILE);
    Path shared = data.resolve(RunningService.HTTP_PORT_FILE);
    String host = Files.exists(own) && !address.equals(ANY_ADDRESS) ? address : LOOPBACK;
    Path file = Files.exists(own) ? own : shared;
    if (!Files.exists(file)) {
      return answer("no service runs on " + data, false);
    }
    return ask(
        String.format(
            Locale.ROOT,
            "http://%s:%s",
            host.contains(":") ? "[" + host + "]" : host,
            Files.readString(file).strip()));
  }

  private int ask(String at) {
    String uri = at.replaceFirst("/$", "") + READINESS;
    try {
      HttpURLConnection connection = (HttpURLConnection) URI.create(uri).toURL().openConnection();
      connection.setConnectTimeout(WAIT_MILLIS_MAX);
      connection.setReadTimeout(WAIT_MILLIS_MAX);
      try {
        int status = connection.getResponseCode();
        return status == HttpURLConnection.HTTP_OK
            ? answer("ready", true)
            : answer("not ready: status " + status + whatIsNot(connection), false);
      } finally {
        connection.disconnect();
      }
    } catch (IOException | IllegalArgumentException | ClassCastException e) {
      return answer("not reached at " + uri + ": " + e.getMessage(), false);
    }
  }

  /// The parts that are not ready, if the answer names any.
  private static String whatIsNot(HttpURLConnection connection) throws IOException {
    try (InputStream body = connection.getErrorStream()) {
      if (body == null) {
        return "";
      }
      StringBuilder text = new StringBuilder();
      JsonMapper.shared()
          .readTree(body.readNBytes(ANSWER_BYTES_MAX))
          .path("components")
          .forEachEntry((name, part) -> {
            if (!part.path("status").asString("").equals(UP)) {
              text.append("; ").append(name);
              if (part.has("details")) {
                text.append(' ').append(part.get("details"));
              }
            }
          });
      return text.toString();
    } catch (JacksonException _) {
      return "";
    }
  }

  private int answer(String text, boolean ready) {
    output.print(Printable.of(text), Output.object("ready", ready, "detail", text));
    return ready ? ExitCode.OK : ExitCode.UNAVAILABLE;
  }
}
