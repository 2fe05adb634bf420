package io.tallystick.cluster.process;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.time.TestTimeAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/// A time authority on loopback that counts what it stamps.
final class CountedAuthority implements AutoCloseable {
  private final TestTimeAuthority authority = new TestTimeAuthority("cluster");
  private final AtomicInteger stamped = new AtomicInteger();
  private final HttpServer server;
  private final Path root;

  /// @param root gets its certificate
  CountedAuthority(Path root) throws Exception {
    this.root = Files.write(root, authority.root().getEncoded());
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
            byte[] answer = authority.answer(query, Instant.now(), recipe -> recipe).toArray();
            stamped.incrementAndGet();
            exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
  }

  int stamped() {
    return stamped.get();
  }

  /// A file of settings for masters.
  Path settings(Path folder) throws IOException {
    return Files.writeString(
        folder.resolve("master.properties"),
        String.format(
            Locale.ROOT,
            "tallystick.time.authorities=http://127.0.0.1:%d/tsr%ntallystick.time.ca=%s%n"
                + "tallystick.time.interval=1h%n",
            server.getAddress().getPort(),
            root));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
