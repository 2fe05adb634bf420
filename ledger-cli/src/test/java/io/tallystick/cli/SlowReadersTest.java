package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.journal.RequestDraft;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: readers over REST who ask for large journals and do not take them hold few of them, and
/// keep nobody from appending or asking for health. Method: the real service, and sockets that ask
/// for more at once than the kernel takes for them.
@Timeout(600)
class SlowReadersTest {
  private static final int READERS = 100;
  private static final int BODY_BYTES = 1_000_000;

  /// The kernel may take the first answer whole, some 2.7 MB, and not as much again.
  private static final int ASKED_BY_EACH = 3;

  private static final int RECEIVE_BYTES = 4 << 10;

  /// 64 are being answered, the others wait five seconds for their turn; some may get that of one
  /// who was given up.
  private static final int REFUSED_MIN = (READERS - 64) / 2;

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

  private long append(byte[] body, String salt) throws Exception {
    Fixtures now = live.now();
    RequestDraft draft =
        RequestDraft.append(
            now.strand(), Bytes.wrap(body), "", now.timeMs(), Fixtures.bytes32(salt));
    return live.append(live.request(now.submission(draft.build(), Fixtures.ALICE)).build())
        .getReceipted()
        .getFirstJsn();
  }

  private String path(long jsn) {
    return String.format(Locale.ROOT, "/v1/ledgers/%s/journals/%d", live.id().hex(), jsn);
  }

  private int status(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(live.service.httpTarget() + path))
              .timeout(Duration.ofSeconds(20))
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  private void askOften(String path) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(RECEIVE_BYTES);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), live.service.httpPort()));
    String request = String.format(Locale.ROOT, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    socket
        .getOutputStream()
        .write(request.repeat(ASKED_BY_EACH).getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void thoseOfLargeJournalsHoldFewAndKeepNobodyFromAppending() throws Exception {
    long large = append(new byte[BODY_BYTES], "large");
    for (int i = 0; i < READERS; i++) {
      askOften(path(large));
    }
    long deadline = Waiting.deadline();
    for (int i = 0; live.refusals("rate_limited") < REFUSED_MIN && !Waiting.isOver(deadline); i++) {
      assertThat(status("/actuator/health")).isEqualTo(200);
      append(new byte[100], "more " + i);
      Thread.sleep(1_000);
    }
    assertThat(live.refusals("rate_limited")).isGreaterThanOrEqualTo(REFUSED_MIN);
    for (Socket reader : sockets) {
      reader.close();
    }
    assertThat(status(path(large))).isEqualTo(200);
  }
}
