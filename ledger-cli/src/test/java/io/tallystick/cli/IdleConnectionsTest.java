package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.GetServiceDescriptionRequest;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: clients that hold connections and say nothing, or send a request byte by byte, keep nobody
/// else out for longer than an idle connection lives. Method: the real service, and more idle
/// connections than it takes.
@Tag("alone")
class IdleConnectionsTest {
  /// Beyond what the service takes.
  private static final int BEYOND = Effort.of(500, 10_000);

  private static final int REST_MAX = 1_024;
  private static final int GRPC_MAX = 4_096;
  private static final int SLOW = 500;
  private static final String REST_BEGIN = "GET /v1/service HTTP/1.1\r\nHost: localhost\r\nX: ";
  private static final Duration ANSWER_MAX = Waiting.MAX;

  @TempDir private Path data;
  private LiveService live;
  private final List<Socket> sockets = new ArrayList<>();
  private @Nullable Flood flood;

  @BeforeEach
  void start() throws Exception {
    live = new LiveService(data);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    if (flood != null) {
      flood.close();
    }
    live.close();
  }

  private Socket open(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    sockets.add(socket);
    return socket;
  }

  private int status(Duration max) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(live.service.httpTarget() + "/v1/service"))
              .timeout(max)
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  /// Opens so many connections and says nothing; what the service closes is closed here too. On a
  /// slow machine the first have had their time before the last is open: then others follow, until
  /// the flood is as high as is wanted.
  private Flood flood(int port, int connections, Predicate<Flood> high) throws Exception {
    Flood flood = new Flood(port);
    this.flood = flood;
    Waiting.until(
        "the flood is high",
        () -> {
          for (int i = flood.held(); i < connections; i++) {
            flood.open();
            if (i % Flood.POLL_EVERY == 0) {
              flood.poll(0);
            }
          }
          flood.poll(100);
          return high.test(flood);
        });
    return flood;
  }

  @Test
  void restServesOthersWhenIdleConnectionsHaveHadTheirTime() throws Exception {
    assertThat(status(ANSWER_MAX)).isEqualTo(200);
    Flood flood =
        flood(live.service.httpPort(), REST_MAX + BEYOND, it -> it.connectedAtMost >= REST_MAX);
    assertThat(status(ANSWER_MAX)).isEqualTo(200);
    Waiting.until(
        "idle ones are closed",
        () -> {
          flood.poll(100);
          return flood.closed > 0;
        });
  }

  /// The limit itself: with all connections held by requests that go on, the next one waits.
  @Test
  void restHoldsSoManyConnectionsAndGoesOnWhenTheyEnd() throws Exception {
    for (int i = 0; i < REST_MAX; i++) {
      sockets.add(begun(live.service.httpPort(), REST_BEGIN));
    }
    Waiting.until(
        "the next one waits",
        () -> {
          for (int i = 0; i < REST_MAX; i++) {
            drip(i, live.service.httpPort(), REST_BEGIN, "x");
          }
          return waits();
        });
    for (Socket socket : sockets) {
      socket.close();
    }
    assertThat(status(ANSWER_MAX)).isEqualTo(200);
  }

  @Test
  void grpcClosesConnectionsBeyondItsLimitAtOnceAndServesThoseItHas() throws Exception {
    assertThat(authority()).isEqualTo("localhost");
    Flood flood =
        flood(
            live.service.port(),
            GRPC_MAX + BEYOND,
            it -> it.connectedAtMost > GRPC_MAX - 100 && refused() >= BEYOND);
    Waiting.until(
        "those beyond the limit are closed",
        () -> {
          flood.poll(100);
          return flood.held() <= GRPC_MAX && flood.closed >= BEYOND;
        });
    assertThat(authority()).isEqualTo("localhost");
  }

  private double refused() {
    return live.service
        .meters()
        .get("ledger.connections.refused")
        .tag("front", "grpc")
        .counter()
        .count();
  }

  private String authority() {
    return live.ledgers
        .withDeadlineAfter(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS)
        .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance())
        .getAuthority();
  }

  /// Slowloris: many connections, on each of which the headers come byte by byte.
  @Test
  void bothServeOthersBesideHeadersThatComeByteByByte() throws Exception {
    String grpc = "PRI * HTTP/2.0\r\n\r\nSM";
    for (int i = 0; i < SLOW; i++) {
      sockets.add(begun(live.service.httpPort(), REST_BEGIN));
      sockets.add(begun(live.service.port(), grpc.substring(0, 3)));
    }
    for (int at = 3; at < 8; at++) {
      for (int i = 0; i < SLOW; i++) {
        drip(2 * i, live.service.httpPort(), REST_BEGIN, "x");
        String sent = grpc.substring(0, at);
        drip(2 * i + 1, live.service.port(), sent, grpc.substring(at, at + 1));
      }
      assertThat(status(ANSWER_MAX)).isEqualTo(200);
      assertThat(authority()).isEqualTo("localhost");
    }
  }

  private static Socket begun(int port, String text) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    send(socket, text);
    return socket;
  }

  /// Sends more on one of the connections; on another one where the service has closed it.
  private void drip(int index, int port, String sent, String next) throws IOException {
    try {
      send(sockets.get(index), next);
    } catch (IOException closed) {
      sockets.get(index).close();
      sockets.set(index, begun(port, sent + next));
    }
  }

  /// Whether another request is not answered soon.
  private boolean waits() throws Exception {
    try {
      assertThat(status(Duration.ofSeconds(2))).isEqualTo(200);
      return false;
    } catch (IOException unanswered) {
      return true;
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void restRefusesHeadersThatAreTooLong() throws Exception {
    Socket socket = open(live.service.httpPort());
    socket.setSoTimeout((int) ANSWER_MAX.toMillis());
    send(
        socket,
        "GET /v1/service HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(9 << 10) + "\r\n\r\n");
    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    assertThat(answer).containsPattern("^HTTP/1.1 4(00|31) ").contains("application/problem+json");
    assertThat(status(ANSWER_MAX)).isEqualTo(200);
  }

  private static final class Flood implements AutoCloseable {
    private static final int POLL_EVERY = 256;

    private final InetSocketAddress target;
    private final Selector selector = Selector.open();
    private int connected;
    private int connectedAtMost;
    private int closed;

    Flood(int port) throws IOException {
      this.target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int held() {
      return selector.keys().size();
    }

    /// The kernel may leave it unanswered for a while.
    void open() throws IOException {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      if (channel.connect(target)) {
        connected++;
        channel.register(selector, SelectionKey.OP_READ);
      } else {
        channel.register(selector, SelectionKey.OP_CONNECT);
      }
    }

    void poll(long millis) throws IOException {
      if (millis == 0) {
        selector.selectNow();
      } else {
        selector.select(millis);
      }
      for (SelectionKey key : selector.selectedKeys()) {
        SocketChannel channel = (SocketChannel) key.channel();
        if (key.isConnectable() && channel.finishConnect()) {
          connected++;
          key.interestOps(SelectionKey.OP_READ);
        } else if (isClosed(channel)) {
          channel.close();
          connected--;
          closed++;
        }
      }
      selector.selectedKeys().clear();
      selector.selectNow(); // forgets what was closed
      connectedAtMost = Math.max(connectedAtMost, connected);
    }

    private static boolean isClosed(SocketChannel channel) {
      try {
        return channel.read(ByteBuffer.allocate(1)) < 0;
      } catch (IOException e) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      for (SelectionKey key : selector.keys()) {
        key.channel().close();
      }
      selector.close();
    }
  }
}
