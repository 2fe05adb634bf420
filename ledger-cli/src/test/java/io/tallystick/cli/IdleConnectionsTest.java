package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.api.v1.GetServiceDescriptionRequest;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: clients that hold connections and say nothing, or little, keep nobody else out for longer
/// than an idle connection lives, and what is too many is told so at once. Method: the real
/// service, far more idle connections than it takes, and requests of all kinds that do not end.
class IdleConnectionsTest {
  private static final int SETTLE_POLLS = 20;
  private static final int ATTEMPTS_MAX = 60;
  private static final int CONNECTIONS_MAX = 1_024;
  private static final Duration ANSWER_MAX = Duration.ofSeconds(90);

  private static final int FEW = 4;
  private static final String GET = "GET /v1/service HTTP/1.1\r\nHost: localhost\r\n";
  private static final String FORM =
      "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8000000\r\n\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

  /// How a connection is held.
  enum Held {
    HALF_HEADERS(GET + "X: ", "x"),
    BLANK_LINES("\r\n", "\r\n", 8),
    SMALL_REQUESTS(GET + "\r\n", GET + "\r\n", 8),
    UNREAD_BODY(GET + "Content-Length: 8000000\r\n\r\n", "x"),
    UNREAD_CHUNKS(GET + CHUNKED, "1\r\nx\r\n"),
    UNREAD_FORM(GET.replace("GET", "POST") + FORM, "x"),
    CHUNK_EXTENSION(GET + CHUNKED + "2;a=", "x"),
    TRAILER(GET + CHUNKED + "0\r\nA: ", "x");

    private final String begin;
    private final String more;
    private final int everySeconds;

    /// As others do who come back now and then.
    private final boolean lawful;

    Held(String begin, String more) {
      this(begin, more, 1, false);
    }

    Held(String begin, String more, int everySeconds) {
      this(begin, more, everySeconds, true);
    }

    Held(String begin, String more, int everySeconds, boolean lawful) {
      this.begin = begin;
      this.more = more;
      this.everySeconds = everySeconds;
      this.lawful = lawful;
    }
  }

  @TempDir private Path data;
  private LiveService live;
  private final List<Socket> sockets = new ArrayList<>();
  private final Map<Socket, Held> trickling = new HashMap<>();
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

  private int status() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(live.service.httpTarget() + "/v1/service"))
              .timeout(ANSWER_MAX)
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  /// Opens so many connections and says nothing; what the service closes is closed here too.
  private Flood flood(int port, int connections) throws IOException {
    flood = new Flood(port);
    for (int i = 1; i <= connections; i++) {
      flood.open();
      if (i % Flood.POLL_EVERY == 0) {
        flood.poll(0);
      }
    }
    for (int i = 0; i < SETTLE_POLLS; i++) {
      flood.poll(100);
    }
    return flood;
  }

  @Test
  void restClosesConnectionsBeyondItsLimitAtOnceAndServesOthersWhenIdleOnesHaveHadTheirTime()
      throws Exception {
    assertThat(status()).isEqualTo(200);
    Flood flood = flood(live.service.httpPort(), 100_000);
    assertThat(flood.held()).isLessThanOrEqualTo(CONNECTIONS_MAX);
    assertThat(flood.heldAtMost).isGreaterThan(1_000);
    assertThat(flood.closed).isGreaterThanOrEqualTo(100_000 - CONNECTIONS_MAX);
    assertThat(refused("rest")).isGreaterThan(50_000);
    int status = 0;
    for (int attempt = 0; attempt < ATTEMPTS_MAX && status != 200; attempt++) {
      try {
        status = status();
      } catch (IOException full) {
        flood.poll(1_000);
      }
    }
    assertThat(status).isEqualTo(200);
  }

  @Test
  void grpcClosesConnectionsBeyondItsLimitAtOnceAndServesThoseItHas() throws Exception {
    assertThat(authority()).isEqualTo("localhost");
    Flood flood = flood(live.service.port(), 20_000);
    assertThat(flood.held()).isLessThanOrEqualTo(4_096);
    assertThat(flood.heldAtMost).isGreaterThan(4_000);
    assertThat(flood.closed).isGreaterThanOrEqualTo(20_000 - 4_096);
    assertThat(refused("grpc")).isGreaterThan(5_000);
    assertThat(authority()).isEqualTo("localhost");
  }

  private double refused(String front) {
    return live.service
        .meters()
        .get("ledger.connections.refused")
        .tag("front", front)
        .counter()
        .count();
  }

  private String authority() {
    return live.ledgers
        .withDeadlineAfter(ANSWER_MAX.toSeconds(), TimeUnit.SECONDS)
        .getServiceDescription(GetServiceDescriptionRequest.getDefaultInstance())
        .getAuthority();
  }

  private static final class Flood implements AutoCloseable {
    private final InetSocketAddress target;
    private final Selector selector = Selector.open();
    private static final int POLL_EVERY = 256;

    private int closed;
    private int heldAtMost;

    Flood(int port) throws IOException {
      this.target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    int held() {
      return selector.keys().size();
    }

    void open() throws IOException {
      SocketChannel channel = SocketChannel.open(target);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ);
    }

    void poll(long millis) throws IOException {
      if (millis == 0) {
        selector.selectNow();
      } else {
        selector.select(millis);
      }
      for (SelectionKey key : selector.selectedKeys()) {
        if (isClosed((SocketChannel) key.channel())) {
          key.channel().close();
          closed++;
        }
      }
      selector.selectedKeys().clear();
      selector.selectNow(); // forgets what was closed
      heldAtMost = Math.max(heldAtMost, held());
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

  @ParameterizedTest
  @EnumSource(
      value = Held.class,
      names = {"HALF_HEADERS", "BLANK_LINES", "SMALL_REQUESTS"})
  void restServesOthersThoughAllItsConnectionsAreHeld(Held held) throws Exception {
    hold(held, CONNECTIONS_MAX);
    waitUntilServed(held);
  }

  private void waitUntilServed(Held held) throws Exception {
    assertThatThrownBy(this::status).isInstanceOf(IOException.class);
    int status = 0;
    for (int attempt = 1; attempt <= ATTEMPTS_MAX && status != 200; attempt++) {
      Thread.sleep(1_000);
      if (attempt % held.everySeconds == 0) {
        trickle();
      }
      try {
        status = status();
      } catch (IOException full) {
        // Not yet.
      }
    }
    assertThat(status).isEqualTo(200);
  }

  @Test
  void restEndsNoSilentConnectionWhoseRequestIsUnderWay() throws Exception {
    assertThat(status()).isEqualTo(200);
    Socket served = open(live.service.httpPort());
    send(served, "POST /v1/ledgers:prepare HTTP/1.1\r\nHost: localhost\r\n");
    send(served, "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{");
    Thread.sleep(1_000); // it is the first to be looked at
    hold(Held.BLANK_LINES, CONNECTIONS_MAX - 1);
    waitUntilServed(Held.BLANK_LINES);
    // That a name is missing, or, of a slow machine, that the body did not come.
    assertThat(answer(served, "}")).startsWith("HTTP/1.1 4");
  }

  /// Goal: what is sent in place of a request, or after one that has been answered, has a time in
  /// all. Method: a byte a second, in all the ways there are, until the service has had enough.
  @Test
  void restClosesConnectionsOnWhichARequestDoesNotEnd() throws Exception {
    for (Held held : Held.values()) {
      if (!held.lawful) {
        hold(held, FEW);
      }
    }
    for (int attempt = 0; attempt < ATTEMPTS_MAX && !trickling.isEmpty(); attempt++) {
      trickle();
      Thread.sleep(1_000);
    }
    assertThat(trickling.values()).as("what is trickling still").isEmpty();
  }

  private void hold(Held held, int connections) throws IOException {
    for (int i = 0; i < connections; i++) {
      Socket socket = open(live.service.httpPort());
      send(socket, held.begin);
      trickling.put(socket, held);
    }
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String answer(Socket socket, String rest) throws IOException {
    socket.setSoTimeout((int) ANSWER_MAX.toMillis());
    send(socket, rest);
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  /// Sends a little more on each connection, and forgets those that do not take it.
  private void trickle() {
    trickling
        .entrySet()
        .removeIf(held -> {
          try {
            send(held.getKey(), held.getValue().more);
            return false;
          } catch (IOException closed) {
            return true; // by the service
          }
        });
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
}
