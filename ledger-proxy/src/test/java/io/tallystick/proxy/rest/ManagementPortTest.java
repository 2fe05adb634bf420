package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: with a port of their own, health and metrics are there and nowhere else, and nothing else
/// is there, however a path is spelt. Method: a service on free ports, asked line by line over a
/// socket.
class ManagementPortTest {
  @TempDir private Path home;

  private RunningService start(Object... more) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.data-dir=" + home.resolve("data"));
    arguments.add("--tallystick.port=0");
    for (Object each : more) {
      arguments.add("--tallystick.management." + each);
    }
    return TallystickService.start(LocalNode::open, arguments.toArray(String[]::new));
  }

  /// The first line and the body of what a request is answered with.
  private static String get(URI target, String path, String host) throws Exception {
    try (Socket socket = new Socket(target.getHost(), target.getPort())) {
      socket
          .getOutputStream()
          .write(
              String.format(
                      Locale.ROOT,
                      "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                      path,
                      host)
                  .getBytes(StandardCharsets.US_ASCII));
      BufferedReader answer =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      return String.join("\n", answer.lines().toList());
    }
  }

  @Test
  void healthAndMetricsAreOnTheirOwnPortAndNowhereElse() throws Exception {
    try (RunningService service = start("port=0")) {
      URI own = URI.create(service.managementTarget().orElseThrow());
      URI rest = URI.create(service.httpTarget());
      assertThat(home.resolve("data").resolve(RunningService.MANAGEMENT_PORT_FILE))
          .content()
          .isEqualTo(own.getPort() + "\n");
      for (String probe : new String[] {"", "/liveness", "/readiness"}) {
        assertThat(get(own, "/actuator/health" + probe, "10.0.0.7:8080"))
            .startsWith("HTTP/1.1 200")
            .contains("\"status\":\"UP\"");
      }
      assertThat(get(own, "/actuator/prometheus", "any")).contains("ledger_append_seconds");
      for (String path :
          new String[] {
            "/v1/ledgers", "/", "/actuators", "/actuator/../v1/ledgers", "/v1/openapi.yaml"
          }) {
        assertThat(get(own, path, "any")).as(path).startsWith("HTTP/1.1 404");
      }
      for (String path :
          new String[] {
            "/actuator",
            "/actuator/health",
            "/actuator/prometheus",
            "//actuator/health",
            "/./actuator/health",
            "/v1/../actuator/health",
            "/%61ctuator/health",
            "/actuator;x=1/health"
          }) {
        assertThat(get(rest, path, "localhost"))
            .as(path)
            .startsWith("HTTP/1.1 404")
            .contains("\"code\":\"not_found\"");
      }
      assertThat(get(rest, "/v1/ledgers", "localhost")).startsWith("HTTP/1.1 200");
      assertThat(get(rest, "/v1/ledgers", "other.example")).startsWith("HTTP/1.1 421");
    }
    assertThat(Files.exists(home.resolve("data").resolve(RunningService.MANAGEMENT_PORT_FILE)))
        .isFalse();
  }

  @Test
  void withoutTheSettingAllStaysOnThePortOfRest() throws Exception {
    try (RunningService service = start()) {
      assertThat(service.managementTarget()).isEmpty();
      assertThat(get(URI.create(service.httpTarget()), "/actuator/health", "localhost"))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void refusesAPortThatIsTakenOrNone() throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      assertThatThrownBy(() -> start("port=" + taken.getLocalPort()))
          .isInstanceOf(StartFailedException.class)
          .hasMessageContaining(String.valueOf(taken.getLocalPort()));
    }
    assertThatThrownBy(() -> start("port=70000"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("tallystick.management.port is 70000, want 0 to 65535");
    assertThatThrownBy(() -> start("port=0", "address=somewhere"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("tallystick.management.address is somewhere");
    assertThatThrownBy(() -> start("port=0", "address=::1"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("needs tallystick.ipv6");
  }
}
