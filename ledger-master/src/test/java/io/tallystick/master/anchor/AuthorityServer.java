package io.tallystick.master.anchor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A time authority on loopback that behaves as a test tells it to.
final class AuthorityServer implements AutoCloseable {
  private static final String REPLY = "application/timestamp-reply";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger asked = new AtomicInteger();
  private volatile Behaviour behaviour;

  /// What is done with a question.
  @FunctionalInterface
  interface Behaviour {
    void answer(HttpExchange exchange, Bytes query) throws IOException, InterruptedException;
  }

  AuthorityServer(Behaviour behaviour) throws IOException {
    this.behaviour = behaviour;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    asked.incrementAndGet();
    try (exchange) {
      behaviour.answer(exchange, Bytes.wrap(exchange.getRequestBody().readAllBytes()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void behave(Behaviour other) {
    behaviour = other;
  }

  int asked() {
    return asked.get();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/tsr");
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /// Stamps with the time of now.
  static Behaviour honest(TestTimeAuthority authority) {
    return stamping(authority, recipe -> recipe);
  }

  static Behaviour stamping(TestTimeAuthority authority, UnaryOperator<TokenRecipe> change) {
    return (exchange, query) ->
        send(exchange, 200, REPLY, authority.answer(query, Instant.now(), change).toArray());
  }

  static Behaviour replying(byte[] body) {
    return (exchange, _) -> send(exchange, 200, REPLY, body);
  }

  static Behaviour of(int status, String type) {
    return (exchange, _) -> send(exchange, status, type, new byte[] {'?'});
  }

  /// Begins an answer and never ends it.
  static Behaviour dripping() {
    return (exchange, _) -> {
      exchange.getResponseHeaders().set("Content-Type", REPLY);
      exchange.sendResponseHeaders(200, 1_000);
      exchange.getResponseBody().write('0');
      exchange.getResponseBody().flush();
      Thread.sleep(60_000);
    };
  }

  /// Says nothing at all.
  static Behaviour silent() {
    return (_, _) -> Thread.sleep(60_000);
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }
}
