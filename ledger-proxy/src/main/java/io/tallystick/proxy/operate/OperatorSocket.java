package io.tallystick.proxy.operate;

import io.tallystick.node.HostedNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where a running service listens to its operator: a Unix domain socket in the data directory.
/// Whoever may open it is the operator, as is whoever may read the directory; no port leads here.
/// Each connection asks once, and has a time for it. A service that cannot have one runs without,
/// and says so in its log.
public final class OperatorSocket implements AutoCloseable {
  /// In the data directory, while the service runs.
  public static final String FILE = "operator.socket";

  private static final Logger LOG = LoggerFactory.getLogger(OperatorSocket.class);

  /// A path of 4,096 bytes in hexadecimal, and a word before it.
  private static final int REQUEST_BYTES_MAX = 8_300;

  private static final int CONNECTIONS_MAX = 16;

  /// For the request to come, and for the answer to go.
  private static final Duration STEP_MAX = Duration.ofSeconds(10);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  /// Takes the next connection.
  interface Acceptor {
    SocketChannel accept(ServerSocketChannel from) throws IOException;
  }

  private final Path path;
  private final OperatorAnswers answers;
  private final @Nullable ServerSocketChannel listening;
  private final Duration stepMax;
  private final Acceptor acceptor;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Semaphore connections = new Semaphore(CONNECTIONS_MAX);

  private OperatorSocket(
      Path path,
      OperatorAnswers answers,
      @Nullable ServerSocketChannel listening,
      Duration stepMax,
      Acceptor acceptor) {
    this.path = path;
    this.answers = answers;
    this.listening = listening;
    this.stepMax = stepMax;
    this.acceptor = acceptor;
  }

  /// @param directory that this process holds alone: a socket in it is one that a process left
  ///   which was killed
  public static OperatorSocket listen(Path directory, HostedNode node) {
    return listen(
        directory,
        new OperatorAnswers(node.keptStates(), node.backups(), node.node()),
        STEP_MAX,
        ServerSocketChannel::accept);
  }

  static OperatorSocket listen(
      Path directory, OperatorAnswers answers, Duration stepMax, Acceptor acceptor) {
    Path path = directory.resolve(FILE);
    ServerSocketChannel channel = null;
    try {
      channel = bind(path);
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn(
          "{} cannot be opened, so `tally prune` and `tally backup` cannot be used: {}",
          path,
          e.toString());
    }
    OperatorSocket socket = new OperatorSocket(path, answers, channel, stepMax, acceptor);
    if (channel != null) {
      ServerSocketChannel from = channel;
      Thread.ofPlatform().name("operator").daemon().start(() -> socket.accept(from));
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

  /// Until the socket is closed. Whatever ends it otherwise takes the socket away: an operator is
  /// refused then, and does not wait.
  private void accept(ServerSocketChannel channel) {
    try {
      boolean failing = false;
      while (true) {
        connections.acquire();
        failing = !takes(channel, failing);
      }
    } catch (ClosedChannelException e) {
      LOG.debug("{} is closed: {}", path, e.toString());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      endUnexpectedly();
    }
  }

  /// @param failing whether the connection before could not be taken, and the log says so
  /// @return whether a connection came
  private boolean takes(ServerSocketChannel channel, boolean failing)
      throws ClosedChannelException, InterruptedException {
    try {
      SocketChannel connection = acceptor.accept(channel);
      Thread.ofVirtual().start(() -> serve(connection));
      return true;
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      connections.release();
      if (!failing) {
        LOG.warn("{} cannot take a connection, and tries again: {}", path, e.toString());
      }
      Thread.sleep(AFTER_FAILURE);
      return false;
    }
  }

  private void endUnexpectedly() {
    try {
      if (end()) {
        LOG.warn(
            "{} takes no connections any more; `tally prune` and `tally backup` need a new start",
            path);
      }
    } catch (IOException e) {
      LOG.warn("{} takes no connections any more and cannot be deleted: {}", path, e.toString());
    }
  }

  private void serve(SocketChannel connection) {
    try (connection) {
      String request;
      try (Deadline _ = new Deadline(connection)) {
        request = request(Channels.newInputStream(connection));
      }
      answers.answer(request, new Answer(connection));
    } catch (IOException e) {
      LOG.debug("the operator's connection ended: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.error("a request of the operator failed", e);
    } finally {
      connections.release();
    }
  }

  /// Lines that wait to go; each time they go they have a time for it.
  private final class Answer implements OperatorAnswers.Lines {
    private final SocketChannel connection;
    private final StringBuilder waiting = new StringBuilder();

    Answer(SocketChannel connection) {
      this.connection = connection;
    }

    @Override
    public void line(String text) {
      waiting.append(text).append('\n');
    }

    @Override
    public void flush() throws IOException {
      ByteBuffer bytes = ByteBuffer.wrap(waiting.toString().getBytes(StandardCharsets.UTF_8));
      waiting.setLength(0);
      try (Deadline _ = new Deadline(connection)) {
        while (bytes.hasRemaining()) {
          connection.write(bytes);
        }
      }
    }
  }

  /// Closes a connection on which one step takes too long, so that its place is free again. What
  /// the node does in between has its own time.
  private final class Deadline implements AutoCloseable {
    private final Thread waiting;

    Deadline(SocketChannel connection) {
      waiting = Thread.ofVirtual().start(() -> closeLater(connection));
    }

    private void closeLater(SocketChannel connection) {
      try {
        Thread.sleep(stepMax);
        connection.close();
      } catch (InterruptedException _) {
        // It was done in time; nobody else waits for this thread.
      } catch (IOException e) {
        LOG.debug("the operator's connection does not close: {}", e.toString());
      }
    }

    @Override
    public void close() {
      waiting.interrupt();
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

  @Override
  public void close() throws IOException {
    end();
  }

  /// Only once: the path may be another's later.
  ///
  /// @return whether it was listening
  private boolean end() throws IOException {
    if (listening == null || !ended.compareAndSet(false, true)) {
      return false;
    }
    listening.close();
    Files.deleteIfExists(path);
    return true;
  }
}
