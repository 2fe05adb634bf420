package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a body that breaks off is told from one that is wrong: the first may be sent again.
/// Method: the real application, and bodies byte by byte.
class BrokenBodyTest {
  private static final String HALF = "{\"header\":\"AAAA\",";

  @TempDir private static Path data;

  private static RestService rest;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    ledger = rest.found("broken", RestService.key(SignatureAlgorithm.ED25519));
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static Socket begun(RestService at, String path, String headers, String body)
      throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), at.httpPort());
    socket.setSoTimeout((int) Waiting.MAX.toMillis());
    socket
        .getOutputStream()
        .write(
            String.format(
                    Locale.ROOT,
                    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n%s",
                    path,
                    headers,
                    body)
                .getBytes(StandardCharsets.ISO_8859_1));
    return socket;
  }

  private static String ended(Socket socket) throws IOException {
    socket.shutdownOutput();
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String broken(String headers, String body) throws IOException {
    try (Socket socket = begun(rest, ledger + "/journals", headers, body)) {
      return ended(socket);
    }
  }

  private static void checkUnavailable(String answer) {
    assertThat(answer)
        .startsWith("HTTP/1.1 503 ")
        .containsIgnoringCase("\r\nRetry-After: 1\r\n")
        .contains("\"code\":\"unavailable\"", "\"retryable\":true", "broke off");
  }

  @Test
  void aBodyThatEndsBeforeItsLengthIsUnavailable() throws Exception {
    checkUnavailable(broken("Content-Length: 1000", HALF));
    checkUnavailable(broken("Content-Length: 1000", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"11\r\n" + HALF + "\r\n", "40\r\n" + HALF, "4", ""})
  void aBodyThatEndsBeforeItsLastChunkIsUnavailable(String chunks) throws Exception {
    checkUnavailable(broken("Transfer-Encoding: chunked", chunks));
  }

  @ParameterizedTest
  @ValueSource(strings = {"zz\r\n" + HALF + "\r\n0\r\n\r\n", "11\r\n" + HALF + "\r\n0\r\n\r\n"})
  void aBodyThatIsWrongIsMalformed(String chunks) throws Exception {
    assertThat(broken("Transfer-Encoding: chunked", chunks))
        .startsWith("HTTP/1.1 400 ")
        .contains("\"code\":\"malformed\"");
    assertThat(broken("Content-Length: " + HALF.length(), HALF))
        .startsWith("HTTP/1.1 400 ")
        .contains("\"code\":\"malformed\"");
  }

  @Test
  void aBodyThatAStopCutsIsUnavailable(@TempDir Path other) throws Exception {
    RestService stopped = new RestService(other);
    try (Socket socket = begun(stopped, "/v1/ledgers:prepare", "Content-Length: 1000", HALF)) {
      Thread stop = Thread.ofVirtual().start(stopped::close);
      Waiting.until(
          "it takes nobody any more",
          () -> {
            try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), stopped.httpPort())) {
              return false;
            } catch (IOException refused) {
              return true;
            }
          });
      checkUnavailable(ended(socket));
      stop.join();
    }
  }
}
