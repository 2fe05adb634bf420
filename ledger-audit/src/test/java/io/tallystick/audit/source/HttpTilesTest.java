package io.tallystick.audit.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Logs;
import io.tallystick.audit.MemoryLog;
import io.tallystick.audit.export.TileExportTest;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.UnreachableException;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an export behind a web server is audited as one in a folder, and a server that is busy,
/// broken or endless does no harm. Method: the JDK's web server over an export, with answers of its
/// own where a test wants them.
class HttpTilesTest {
  private static final int MEBIBYTES_MAX = 256;

  @TempDir private Path folder;

  /// Statuses of the next answers; 0 breaks off within the file, -1 says that it is damaged.
  private final Deque<Integer> refusals = new ArrayDeque<>();

  private HttpServer server;
  private HttpTiles tiles;

  @BeforeEach
  void serve() throws Exception {
    TileExportTest.export(MemoryLog.of(Logs.sample()), folder, true);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/log/", this::answer);
    server.start();
    tiles = new HttpTiles(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/log"));
  }

  @AfterEach
  void stop() {
    tiles.close();
    server.stop(0);
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    Path file = folder.resolve(exchange.getRequestURI().getPath().substring("/log/".length()));
    Integer refusal = refusals.poll();
    if (refusal != null && refusal == 0) {
      exchange.sendResponseHeaders(200, 100);
      exchange.getResponseBody().write(1);
      exchange.getResponseBody().flush();
      exchange.close();
      return;
    }
    if (refusal != null && refusal < 0) {
      byte[] problem = "{\"code\":\"damaged\"}".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(500, problem.length);
      exchange.getResponseBody().write(problem);
      exchange.close();
      return;
    }
    int status = refusal != null ? refusal : Files.isRegularFile(file) ? 200 : 404;
    byte[] content = status == 200 ? Files.readAllBytes(file) : new byte[0];
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    exchange.getResponseBody().write(content);
    exchange.close();
  }

  @Test
  void anExportBehindAWebServerPassesTheAudit() {
    AuditReport report = Logs.audit(new TileLogSource(tiles, true));
    assertThat(report.faults()).isEmpty();
    assertThat(report.size().value()).isEqualTo(Logs.SIZE);
  }

  @Test
  void asksAgainWhatFailsForAWhile() throws Exception {
    refusals.add(503);
    refusals.add(0);
    refusals.add(429);
    assertThat(tiles.read("checkpoint", 1 << 17)).isPresent();
    assertThat(refusals).isEmpty();
  }

  @Test
  void aServiceThatFindsItsStoreDamagedIsBelievedAtOnce() {
    refusals.add(-1);
    assertThatThrownBy(() -> tiles.read("tile/entries/000", 100))
        .isInstanceOf(LogFormatException.class)
        .hasMessage("the service says that it holds tile/entries/000 damaged");
    assertThat(refusals).isEmpty();
  }

  @Test
  void saysWhatAServerAnswersForGood() {
    for (int i = 0; i < 6; i++) {
      refusals.add(500);
    }
    assertThatThrownBy(() -> tiles.read("checkpoint", 1 << 17))
        .isInstanceOf(UnreachableException.class)
        .hasMessageEndingWith("/log/checkpoint is answered with status 500");
    refusals.add(403);
    assertThatThrownBy(() -> tiles.read("checkpoint", 1 << 17))
        .isInstanceOf(IOException.class)
        .hasMessageEndingWith("status 403");
  }

  @Test
  void whatIsNotThereIsNoFailure() throws Exception {
    assertThat(tiles.read("tile/0/999", 1)).isEmpty();
    assertThatThrownBy(() -> tiles.read("checkpoint", 1)).isInstanceOf(LogFormatException.class);
    refusals.add(410);
    assertThat(tiles.read("checkpoint", 1 << 17)).isEmpty();
  }

  @Test
  void readsNoMoreThanAFileMayHave() throws Exception {
    Bytes whole = tiles.read("checkpoint", 1 << 17).orElseThrow();
    assertThat(tiles.read("checkpoint", whole.size())).contains(whole);
    assertThatThrownBy(() -> tiles.read("checkpoint", whole.size() - 1))
        .isInstanceOf(LogFormatException.class)
        .hasMessage("checkpoint is longer than " + (whole.size() - 1) + " bytes");
  }

  @Test
  void hangsUpOnAnAnswerThatGoesOn() throws Exception {
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    server.createContext("/endless/", exchange -> sent.complete(endless(exchange, 200)));
    URI prefix = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/endless");
    try (HttpTiles endless = new HttpTiles(prefix)) {
      assertThatThrownBy(() -> endless.read("checkpoint", 1 << 17))
          .isInstanceOf(LogFormatException.class)
          .hasMessage("checkpoint is longer than 131072 bytes");
      assertThat(sent.get()).isLessThan(MEBIBYTES_MAX);
    }
  }

  @Test
  void hangsUpOnAProblemThatGoesOn() throws Exception {
    CompletableFuture<Integer> sent = new CompletableFuture<>();
    server.createContext("/endless/", exchange -> sent.complete(endless(exchange, 404)));
    URI prefix = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/endless");
    try (HttpTiles endless = new HttpTiles(prefix)) {
      assertThat(endless.read("checkpoint", 1 << 17)).isEmpty();
      assertThat(sent.get()).isLessThan(MEBIBYTES_MAX);
    }
  }

  @Test
  void refusesAHeadWithoutBounds() {
    server.createContext(
        "/head/",
        exchange -> {
          exchange.getResponseHeaders().set("X", "x".repeat(9 << 10));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    URI prefix = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/head");
    try (HttpTiles head = new HttpTiles(prefix)) {
      assertThatThrownBy(() -> head.read("checkpoint", 1 << 17))
          .isInstanceOf(UnreachableException.class)
          .hasMessageContaining("/head/checkpoint");
    }
  }

  /// @return how many mebibytes it could send
  private static int endless(HttpExchange exchange, int status) throws IOException {
    exchange.sendResponseHeaders(status, 0);
    byte[] mebibyte = new byte[1 << 20];
    for (int sent = 0; sent < MEBIBYTES_MAX; sent++) {
      try {
        exchange.getResponseBody().write(mebibyte);
      } catch (IOException _) {
        return sent;
      }
    }
    exchange.close();
    return MEBIBYTES_MAX;
  }

  @Test
  void saysThatNobodyIsThere() {
    server.stop(0);
    assertThatThrownBy(() -> tiles.read("checkpoint", 1 << 17))
        .isInstanceOf(UnreachableException.class)
        .hasMessageStartingWith("cannot read http://127.0.0.1:");
  }
}
