package io.tallystick.cluster.master;

import io.tallystick.cluster.ServerAddress;
import io.tallystick.master.placement.Suspicion;
import io.tallystick.master.presence.PresentServer;
import io.tallystick.wire.NodeStub;
import io.tallystick.wire.ServerWatch;
import io.tallystick.wire.WireRole;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A leading master's streams to the servers that are shown. One that breaks is tried again at
/// once; a server that does not answer then is suspected, and one that was never reached is not.
/// One thread takes the turns.
final class ServerStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerStreams.class);

  /// After a stream broke, the next one must be up within so long.
  private static final Duration AGAIN_MAX = Duration.ofMillis(500);

  private final Connecting connecting;
  private final Suspicion suspicion;
  private final Runnable suspected;
  private final LongSupplier nanoTime;
  private final Map<String, Stream> streams = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /// How a stream to a server is begun.
  interface Connecting {
    AutoCloseable begin(PresentServer server, ServerWatch.Listener listener) throws IOException;
  }

  /// @param suspected is run when a server is; must not block
  /// @param nanoTime as {@link System#nanoTime}
  ServerStreams(
      Connecting connecting, Suspicion suspicion, Runnable suspected, LongSupplier nanoTime) {
    this.connecting = connecting;
    this.suspicion = suspicion;
    this.suspected = suspected;
    this.nanoTime = nanoTime;
  }

  /// Over the wire, as a master.
  static Connecting overWire(Optional<WireTls> tls) {
    return (server, listener) ->
        ServerWatch.begin(
            new NodeStub.Target(
                ServerAddress.parse(server.id(), server.address()), tls, WireRole.MASTER),
            listener);
  }

  /// One incarnation of a server.
  private final class Stream implements ServerWatch.Listener {
    private final PresentServer server;

    /// Whether a stream to it was up before this one.
    private final boolean again;

    private final long begunNanos = nanoTime.getAsLong();
    private volatile boolean up;
    private volatile Optional<AutoCloseable> watch = Optional.empty();

    Stream(PresentServer server, boolean again) {
      this.server = server;
      this.again = again;
    }

    void begin() {
      try {
        watch = Optional.of(connecting.begin(server, this));
        if (streams.get(server.id()) != this) {
          end(); // it was given up meanwhile
        }
      } catch (IOException e) {
        LOG.warn("no stream to server {}: {}", server.id(), e.toString());
        reset();
      }
    }

    @Override
    public void up() {
      up = true;
      suspicion.streamUp(server.id());
    }

    @Override
    public void reset() {
      if (closed) {
        return;
      }
      if (up) {
        Stream next = new Stream(server, true);
        if (streams.replace(server.id(), this, next)) {
          next.begin();
        }
      } else if (streams.remove(server.id(), this) && again) {
        suspect();
      }
    }

    void suspect() {
      LOG.warn("server {} is suspected: the stream to it broke", server.id());
      suspicion.streamReset(server.id(), server.incarnation());
      suspected.run();
    }

    boolean isLate() {
      return again && !up && nanoTime.getAsLong() - begunNanos > AGAIN_MAX.toNanos();
    }

    void end() {
      watch.ifPresent(ServerStreams::close);
    }
  }

  private static void close(AutoCloseable watch) {
    try {
      watch.close();
    } catch (Exception e) {
      LOG.warn("a stream did not close cleanly: {}", e.toString());
    }
  }

  /// Sees to it that there is a stream to each server.
  ///
  /// @param present all that are shown
  void turn(Collection<PresentServer> present) {
    Iterator<Stream> all = streams.values().iterator();
    while (all.hasNext()) {
      Stream stream = all.next();
      boolean gone =
          present.stream()
              .noneMatch(server ->
                  server.id().equals(stream.server.id())
                      && server.incarnation() == stream.server.incarnation());
      if (gone || stream.isLate()) {
        all.remove();
        stream.end();
        if (!gone) {
          stream.suspect();
        }
      }
    }
    for (PresentServer server : present) {
      Stream first = new Stream(server, false);
      if (streams.putIfAbsent(server.id(), first) == null) {
        first.begin();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    streams.values().forEach(Stream::end);
    streams.clear();
  }
}
