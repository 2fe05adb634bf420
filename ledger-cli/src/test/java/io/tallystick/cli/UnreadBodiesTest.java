package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: who sends a body that nobody reads gets his answer before its end, and goes on over the
/// same connection where it ends soon. Method: the real service, and bodies that come late.
@Timeout(600)
class UnreadBodiesTest {
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final String GET = "GET /v1/service HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String NOWHERE = "POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\n";
  private static final String PREPARE =
      "POST /v1/ledgers:prepare HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

  @TempDir private static Path home;
  private static RunningService service;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static Socket open() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.httpPort());
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  /// The head of the next answer, and its body if its length is told.
  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      assertThat(read).as("after: %s", head).isNotNegative();
      head.append((char) read);
    }
    int body =
        head.toString()
            .lines()
            .filter(line -> line.startsWith("Content-Length: "))
            .mapToInt(line -> Integer.parseInt(line.substring("Content-Length: ".length())))
            .findFirst()
            .orElse(0);
    return head + new String(in.readNBytes(body), StandardCharsets.US_ASCII);
  }

  @Test
  void anAnswerComesBeforeTheBodyAndTheConnectionGoesOn() throws Exception {
    try (Socket socket = open()) {
      send(socket, NOWHERE + CHUNKED);
      assertThat(answer(socket)).startsWith("HTTP/1.1 404 ").contains("nothing at this path");
      send(socket, "5\r\nhello\r\n0\r\n\r\n" + GET);
      assertThat(answer(socket)).startsWith("HTTP/1.1 200 ").contains("\"authority\"");
    }
  }

  @Test
  void aConnectionGoesOnAfterABodyThatCameWithItsHeaders() throws Exception {
    try (Socket socket = open()) {
      send(socket, NOWHERE + "Content-Length: 5\r\n\r\nhello" + GET);
      assertThat(answer(socket)).startsWith("HTTP/1.1 404 ").doesNotContain("Connection: close");
      assertThat(answer(socket)).startsWith("HTTP/1.1 200 ");
      send(socket, PREPARE + CHUNKED + "2\r\n{}\r\n0\r\n\r\n");
      assertThat(answer(socket)).startsWith("HTTP/1.1 400 ").contains("name is missing");
    }
  }

  @Test
  void aBodyThatIsTooLargeIsToldSoWhileItIsSent() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(service.httpTarget() + "/v1/ledgers:prepare"))
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofByteArray(new byte[9 << 20]))
              .build();
      HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("too_large");
    }
  }

  @Test
  void aBodyThatIsRefusedIsReadOnForAWhile() throws Exception {
    try (Socket socket = open()) {
      send(socket, PREPARE + "Content-Length: 9000000\r\n\r\n");
      assertThat(answer(socket)).startsWith("HTTP/1.1 413 ").contains("too_large");
      for (int mib = 0; mib < 7; mib++) {
        send(socket, "x".repeat(1 << 20));
      }
      socket.setSoTimeout(500);
      assertThatThrownBy(() -> socket.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class); // open still
      socket.setSoTimeout(TIMEOUT_MILLIS);
      send(socket, "x".repeat(9_000_000 - (7 << 20)));
      assertThat(socket.getInputStream().read()).isNegative();
    }
  }

  @Test
  void aBodyThatIsRefusedIsNotAskedFor() throws Exception {
    try (Socket socket = open()) {
      send(socket, PREPARE + "Expect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
      assertThat(answer(socket)).startsWith("HTTP/1.1 413 ");
      assertThat(socket.getInputStream().read()).isNegative();
    }
    try (Socket socket = open()) {
      send(socket, PREPARE + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
      assertThat(answer(socket)).startsWith("HTTP/1.1 100 ");
      send(socket, "{}");
      assertThat(answer(socket)).contains("name is missing");
    }
  }

  @Test
  void chunksHaveNoExtensionsAndNoTrailers() throws Exception {
    for (String body : new String[] {"2;a=b\r\n{}\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\nA: b\r\n\r\n"}) {
      try (Socket socket = open()) {
        send(socket, PREPARE + CHUNKED + body); // whole, it would lack a name
        assertThat(answer(socket)).startsWith("HTTP/1.1 400 ").doesNotContain("name is missing");
      }
    }
  }
}
