package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.UnreachableException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: a web server that is never silent and never done holds nobody up, however long the file
/// may be; and one that answers with pages is told from a log. Method: a server of few lines.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SlowServerTest {
  private static final Duration PATIENCE = Duration.ofMillis(400);
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n";

  /// What is sent once, then again and again with a pause.
  private record Answer(String first, String again) {}

  private static void serve(ServerSocket socket, Answer answer) {
    while (!socket.isClosed()) {
      try (Socket open = socket.accept()) {
        OutputStream out = open.getOutputStream();
        out.write(answer.first.getBytes(StandardCharsets.UTF_8));
        while (!answer.again.isEmpty()) {
          out.write(answer.again.getBytes(StandardCharsets.UTF_8));
          out.flush();
          Thread.sleep(20);
        }
      } catch (IOException e) {
        assertThat(e).isNotNull(); // whoever asked has gone, or the test is over
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private interface Asking {
    void of(HttpTiles tiles) throws Exception;
  }

  private static void against(Answer answer, Asking asking) throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      Thread server = Thread.ofVirtual().start(() -> serve(socket, answer));
      URI prefix = URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/log");
      try (HttpTiles tiles = new HttpTiles(prefix, PATIENCE)) {
        asking.of(tiles);
      }
      server.interrupt();
    }
  }

  @Test
  void whatDripsIsGivenUp() throws Exception {
    String hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    for (Answer slow :
        new Answer[] {
          new Answer("", hint), // never an answer
          new Answer(OK, "x"), // never the end of it
          new Answer("HTTP/1.1 200 OK\r\n", "X: y"), // never the end of its head
        }) {
      against(
          slow,
          tiles ->
              assertThatThrownBy(() -> tiles.read("snapshot/state", LogCopy.BEFORE_BYTES_MAX))
                  .isInstanceOf(UnreachableException.class));
    }
  }

  @Test
  void aPageIsNoFileOfALog() throws Exception {
    for (String page :
        new String[] {
          "Content-Type: text/html; charset=utf-8\r\n\r\n\n<!DOCTYPE html><title>Sign in</title>",
          "Content-Type: application/json\r\n\r\n{\"error\":\"not here\"}",
        }) {
      against(
          new Answer("HTTP/1.1 200 OK\r\nConnection: close\r\n" + page, ""),
          tiles ->
              assertThatThrownBy(() -> tiles.read("checkpoint", 1 << 10))
                  .isInstanceOf(UnreachableException.class)
                  .hasMessageContaining(" is no Tallystick log: checkpoint was answered with "));
    }
  }

  @Test
  void aFileOfALogMayBeCalledAnythingAndBeginWithAnything() throws Exception {
    for (String file :
        new String[] {
          "Content-Type: text/html\r\n\r\n<\u0001",
          "Content-Type: application/octet-stream\r\n\r\n{\"error\"",
          "\r\n<html>",
        }) {
      against(
          new Answer("HTTP/1.1 200 OK\r\nConnection: close\r\n" + file, ""),
          tiles -> assertThat(tiles.read("tile/0/000", 1 << 10)).isPresent());
    }
  }
}
