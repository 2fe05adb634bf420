package io.tallystick.master.witness;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.testkit.TestWitness;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// A witness on loopback that keeps to C2SP tlog-witness, or answers as a test tells it to.
final class WitnessServer implements AutoCloseable {
  static final long TIME = 1_767_225_600;

  private final TestWitness witness;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Checkpoint> newest = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile @Nullable Behaviour behaviour;

  /// Instead of a witness' answer.
  @FunctionalInterface
  interface Behaviour {
    void answer(HttpExchange exchange) throws IOException, InterruptedException;
  }

  WitnessServer(String name) throws IOException {
    witness = TestWitness.of(name);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/w/add-checkpoint", this::handle);
    server.start();
  }

  TestWitness witness() {
    return witness;
  }

  WitnessSettings.Endpoint endpoint() {
    URI prefix = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/w");
    return new WitnessSettings.Endpoint(witness.key(), prefix);
  }

  /// The size line of each request, in order.
  List<String> asked() {
    return asked;
  }

  void behave(@Nullable Behaviour other) {
    behaviour = other;
  }

  /// Pretends to have cosigned another head.
  void remember(Checkpoint head) {
    newest.put(head.origin(), head);
  }

  static Behaviour replying(int status, String body) {
    return exchange -> send(exchange, status, body);
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    asked.add(body.substring(0, body.indexOf('\n')));
    Behaviour other = behaviour;
    try (exchange) {
      if (other != null) {
        other.answer(exchange);
      } else {
        answer(exchange, body);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private synchronized void answer(HttpExchange exchange, String body)
      throws IOException, MalformedException {
    int blank = body.indexOf("\n\n");
    String[] lines = body.substring(0, blank).split("\n", -1);
    long old = Long.parseLong(lines[0].substring("old ".length()));
    SignedNote note = SignedNote.decode(Bytes.utf8(body.substring(blank + 2)));
    Checkpoint head = Checkpoint.parse(note.text());
    Checkpoint before =
        newest.getOrDefault(
            head.origin(),
            new Checkpoint(head.origin(), new TreeSize(0), new JournalRoot(Digest.ZERO)));
    if (old != before.size().value()) {
      send(exchange, 409, before.size() + "\n");
      return;
    }
    List<Digest> path = new ArrayList<>();
    for (int i = 1; i < lines.length; i++) {
      path.add(Digest.of(Base64.getDecoder().decode(lines[i])));
    }
    try {
      if (old > 0) {
        new ConsistencyProof(old, head.size().value(), path).verify(before.root(), head.root());
      } else if (!path.isEmpty()) {
        throw new AssertionError("a proof from size 0");
      }
    } catch (ProofRejectedException _) {
      send(exchange, 422, "");
      return;
    }
    newest.put(head.origin(), head);
    String cosigned =
        new String(witness.cosign(note, TIME).encode().toArray(), StandardCharsets.UTF_8);
    send(exchange, 200, cosigned.substring(cosigned.lastIndexOf('—')));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
