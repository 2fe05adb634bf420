package io.tallystick.proxy.trace;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.GZIPInputStream;

/// A collector of spans on a free loopback port that keeps what it is sent.
public final class SpanCollector implements AutoCloseable {
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private final HttpServer server;

  public SpanCollector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/traces",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
          byte[] plain =
              packed ? new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes() : body;
          received.add(new String(plain, StandardCharsets.ISO_8859_1));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  public String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  /// Everything so far, a character for each byte.
  public String received() {
    return String.join("", received);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
