package io.tallystick.cluster.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.operator.HealthCommand;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// Goal: probes, `tally health` and Prometheus are told what a process says of itself, at the paths
/// of `tally up`, from its start to its end. Method: the server asked over HTTP.
class ManagementServerTest {
  private static final InetSocketAddress FREE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> ask(ManagementServer server, String method, String path)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/actuator" + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private int status(ManagementServer server, String path) throws Exception {
    return ask(server, "GET", path).statusCode();
  }

  private String health(int status, String... words) {
    CommandLine tally = new CommandLine(new HealthCommand());
    StringWriter said = new StringWriter();
    tally.setOut(new PrintWriter(said));
    assertThat(tally.execute(words)).isEqualTo(status);
    return said.toString();
  }

  private String healthOfFolder(int status) {
    return health(status, "--data", folder.toString());
  }

  @Test
  void aSecondProcessOnTheFolderChangesNothing() throws Exception {
    ManagementServer first = ManagementServer.start(FREE, folder, new ProcessMeters());
    assertThatThrownBy(() -> ManagementServer.start(FREE, folder, new ProcessMeters()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is in use by process " + ProcessHandle.current().pid());
    assertThat(folder.resolve(RunningService.MANAGEMENT_PORT_FILE))
        .content()
        .isEqualTo(first.port() + "\n");
    first.close();
    ManagementServer.start(FREE, folder, new ProcessMeters()).close();
  }

  @Test
  void saysHowTheProcessIsFromItsStartToItsEnd() throws Exception {
    AtomicBoolean well = new AtomicBoolean(true);
    AtomicBoolean seen = new AtomicBoolean();
    ManagementServer server = ManagementServer.start(FREE, folder, new ProcessMeters());
    assertThat(folder.resolve(RunningService.MANAGEMENT_PORT_FILE))
        .content()
        .isEqualTo(server.port() + "\n");
    assertThat(status(server, "/health/readiness")).isEqualTo(503);
    assertThat(status(server, "/health/liveness")).isEqualTo(200);
    assertThat(healthOfFolder(ExitCode.UNAVAILABLE)).contains("the process starts");

    server.tell(() ->
        new ProcessHealth(
            List.of(
                ProcessHealth.Part.of("good", true),
                new ProcessHealth.Part("rest", well.get(), Map.of("why", "it is late")))));
    assertThat(ask(server, "GET", "/health/readiness").body())
        .startsWith("{\"status\":\"UP\"")
        .contains("\"rest\":{\"status\":\"UP\",\"details\":{\"why\":\"it is late\"}}");
    assertThat(status(server, "/health")).isEqualTo(200);
    assertThat(healthOfFolder(ExitCode.OK)).contains("ready");
    well.set(false);
    assertThat(status(server, "/health/readiness")).isEqualTo(503);
    assertThat(ask(server, "GET", "/health").body())
        .startsWith("{\"status\":\"OUT_OF_SERVICE\"")
        .contains("livenessState");
    assertThat(healthOfFolder(ExitCode.UNAVAILABLE))
        .contains("not ready: status 503; rest ", "it is late")
        .doesNotContain("good");
    assertThat(health(ExitCode.UNAVAILABLE, "--url", "http://127.0.0.1:" + server.port() + "/"))
        .contains("it is late");

    well.set(true);
    server
        .with(() -> seen.set(ask(server, "GET", "/health").body().contains("process stops")))
        .close();
    assertThat(seen).isTrue();
    assertThat(folder.resolve(RunningService.MANAGEMENT_PORT_FILE)).doesNotExist();
    assertThat(healthOfFolder(ExitCode.UNAVAILABLE)).contains("no service runs on");
    assertThat(health(ExitCode.UNAVAILABLE, "--url", "http://127.0.0.1:" + server.port()))
        .contains("not reached at");
  }

  @Test
  void answersQuestionsAlone() throws Exception {
    try (ManagementServer server = ManagementServer.start(FREE, folder, new ProcessMeters())) {
      server.tell(() -> {
        throw new IllegalStateException("broken");
      });
      assertThat(status(server, "/health/readiness")).isEqualTo(500);
      assertThat(status(server, "/health/liveness")).isEqualTo(200);
      assertThat(status(server, "/nothing")).isEqualTo(404);
      assertThat(ask(server, "POST", "/prometheus").statusCode()).isEqualTo(405);
      HttpResponse<String> metrics = ask(server, "GET", "/prometheus");
      assertThat(metrics.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      assertThat(metrics.body())
          .contains("jvm_memory_used_bytes", "process_start_time_seconds", "jvm_gc_");
      assertThat(ask(server, "HEAD", "/prometheus").body()).isEmpty();
    }
  }

  @Test
  void refusesAPortThatIsTaken() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    try (ManagementServer server = ManagementServer.start(FREE, folder, new ProcessMeters())) {
      InetSocketAddress taken =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
      assertThatThrownBy(() -> ManagementServer.start(taken, other, new ProcessMeters()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(":" + server.port() + ", which --management-port names");
      assertThat(other.resolve(RunningService.MANAGEMENT_PORT_FILE)).doesNotExist();
    }
  }
}
