package io.tallystick.proxy.operate;

import io.tallystick.model.MalformedException;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.KeptState;
import io.tallystick.node.KeptStates;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where a running service listens to its operator: a Unix domain socket in the data directory.
/// Whoever may open it is the operator, as is whoever may read the directory; no port leads here.
/// Each connection asks once. A service that cannot have one runs without, and says so in its log.
public final class OperatorSocket implements AutoCloseable {
  /// In the data directory, while the service runs.
  public static final String FILE = "operator.socket";

  private static final Logger LOG = LoggerFactory.getLogger(OperatorSocket.class);
  private static final int REQUEST_BYTES_MAX = 256;
  private static final int CONNECTIONS_MAX = 16;

  private final Path path;
  private final KeptStates states;
  private final @Nullable ServerSocketChannel listening;
  private final Semaphore connections = new Semaphore(CONNECTIONS_MAX);

  private OperatorSocket(Path path, KeptStates states, @Nullable ServerSocketChannel listening) {
    this.path = path;
    this.states = states;
    this.listening = listening;
  }

  /// @param directory that this process holds alone: a socket in it is one that a process left
  ///   which was killed
  public static OperatorSocket listen(Path directory, KeptStates states) {
    Path path = directory.resolve(FILE);
    ServerSocketChannel channel = null;
    try {
      channel = bind(path);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn("{} cannot be opened, so `tally prune` cannot be used: {}", path, e.toString());
    }
    OperatorSocket socket = new OperatorSocket(path, states, channel);
    if (channel != null) {
      Thread.ofPlatform().name("operator").daemon().start(socket::accept);
    }
    return socket;
  }

  private static ServerSocketChannel bind(Path path) throws IOException {
    Files.deleteIfExists(path);
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private void accept() {
    ServerSocketChannel channel = listening;
    while (channel != null && channel.isOpen()) {
      try {
        SocketChannel connection = channel.accept();
        connections.acquire();
        Thread.ofVirtual().start(() -> serve(connection));
      } catch (ClosedChannelException _) {
        return;
      } catch (IOException e) {
        LOG.warn("{} takes no connections any more: {}", path, e.toString());
        return;
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void serve(SocketChannel connection) {
    try (connection;
        InputStream in = Channels.newInputStream(connection);
        Writer out = new BufferedWriter(Channels.newWriter(connection, StandardCharsets.UTF_8))) {
      answer(request(in), out);
    } catch (IOException e) {
      LOG.debug("the operator's connection ended: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.error("a request of the operator failed", e);
    } finally {
      connections.release();
    }
  }

  /// The first line; what is longer than any request is no request.
  private static String request(InputStream in) throws IOException {
    byte[] bytes = new byte[REQUEST_BYTES_MAX];
    int count = 0;
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (count == bytes.length) {
        return "";
      }
      bytes[count++] = (byte) next;
    }
    return new String(bytes, 0, count, StandardCharsets.UTF_8);
  }

  private void answer(String request, Writer out) throws IOException {
    try {
      for (KeptState kept : carriedOut(request.split(" ", -1))) {
        line(OperatorWords.state(kept), out);
      }
      line(OperatorWords.DONE, out);
    } catch (RequestRejectedException refusal) {
      String detail = String.valueOf(refusal.getMessage());
      line(OperatorWords.refused(refusal.code(), refusal.limit(), detail), out);
    } catch (MalformedException e) {
      String detail = "unknown request: " + e.getMessage();
      line(OperatorWords.refused(RejectionCode.MALFORMED, OptionalLong.empty(), detail), out);
    }
  }

  private List<KeptState> carriedOut(String[] words)
      throws MalformedException, RequestRejectedException {
    if (words.length == 1 && words[0].equals(OperatorWords.STATES)) {
      return states.keptStates();
    }
    if (words.length == 3 && words[0].equals(OperatorWords.PRUNE)) {
      KeptState kept =
          states.pruneState(OperatorWords.ledger(words[1]), OperatorWords.number(words[2]));
      LOG.info(
          "state of {}: the operator pruned versions below block {}; the oldest kept is of block {}",
          kept.ledger(),
          words[2],
          kept.oldestHeight());
      return List.of(kept);
    }
    throw new MalformedException(String.join(" ", words));
  }

  private static void line(String text, Writer out) throws IOException {
    out.write(text);
    out.write('\n');
  }

  @Override
  public void close() throws IOException {
    if (listening != null) {
      listening.close();
      Files.deleteIfExists(path);
    }
  }
}
