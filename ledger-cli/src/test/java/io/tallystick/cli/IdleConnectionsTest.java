package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.GetServiceDescriptionRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: clients that hold connections and say nothing, or little, keep nobody else out for longer
/// than an idle connection lives. Method: the real service, more idle sockets than it takes, and
/// headers that trickle.
class IdleConnectionsTest {
  /// More than the 1,024 that REST holds and the 256 that may wait.
  private static final int SOCKETS = 1_500;

  private static final int TRICKLES = 200;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(90);

  @TempDir private Path data;
  private LiveService live;
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    live = new LiveService(data);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    live.close();
  }

  private Socket open(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    sockets.add(socket);
    return socket;
  }

  private int status() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(live.service.httpTarget() + "/v1/service"))
              .timeout(ANSWER_MAX)
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void restServesOthersOnceIdleConnectionsHaveHadTheirTime() throws Exception {
    for (int i = 0; i < SOCKETS; i++) {
      open(live.service.httpPort());
    }
    assertThat(status()).isEqualTo(200);
  }

  @Test
  void restServesOthersWhileHeadersTrickle() throws Exception {
    byte[] begin = "GET /v1/service HTTP/1.1\r\nX: ".getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < TRICKLES; i++) {
      open(live.service.httpPort()).getOutputStream().write(begin);
    }
    for (int round = 0; round < 5; round++) {
      for (Socket socket : sockets) {
        socket.getOutputStream().write('x');
      }
      assertThat(status()).isEqualTo(200);
    }
  }

  @Test
  void restRefusesHeadersThatAreTooLong() throws Exception {
    Socket socket = open(live.service.httpPort());
    socket.setSoTimeout((int) ANSWER_MAX.toMillis());
    String request =
        "GET /v1/service HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(9 << 10) + "\r\n\r\n";
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertThat(answer).containsPattern("^HTTP/1.1 4(00|31) ").contains("application/problem+json");
    assertThat(status()).isEqualTo(200);
  }

  @Test
  void grpcServesOthersBesideIdleConnections() throws Exception {
    for (int i = 0; i < SOCKETS; i++) {
      open(live.service.port());
    }
    assertThat(
            live.ledgers
                .withDeadlineAfter(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS)
                .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance())
                .getAuthority())
        .isEqualTo("localhost");
  }
}
