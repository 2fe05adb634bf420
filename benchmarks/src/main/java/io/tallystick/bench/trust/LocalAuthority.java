package io.tallystick.bench.trust;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.time.ListedTokens;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// A time authority (RFC 3161) in this process, on loopback.
final class LocalAuthority implements AutoCloseable {
  private final TestTimeAuthority authority = new TestTimeAuthority("bench");
  private final AtomicInteger answered = new AtomicInteger();
  private final HttpServer server;
  private final Path certificates;

  /// @param home for the file with its certificate
  LocalAuthority(Path home) throws IOException, CertificateEncodingException {
    certificates =
        Files.writeString(
            home.resolve("authority.pem"),
            String.format(
                Locale.ROOT,
                "-----BEGIN CERTIFICATE-----%n%s%n-----END CERTIFICATE-----%n",
                Base64.getMimeEncoder().encodeToString(authority.root().getEncoded())));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
      byte[] reply = authority.answer(query, Instant.now(), UnaryOperator.identity()).toArray();
      exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
      exchange.sendResponseHeaders(200, reply.length);
      exchange.getResponseBody().write(reply);
      answered.incrementAndGet();
    }
  }

  /// How many tokens it gave.
  int answered() {
    return answered.get();
  }

  /// A service that asks it, as its command line says so.
  List<String> options() {
    return List.of(
        "--time-authority",
        "http://127.0.0.1:" + server.getAddress().getPort() + "/tsr",
        "--time-ca",
        certificates.toString());
  }

  /// An auditor who trusts it.
  TrustedTokens tokens() {
    return new ListedTokens(new Rfc3161Tokens(), authority.trusted());
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
