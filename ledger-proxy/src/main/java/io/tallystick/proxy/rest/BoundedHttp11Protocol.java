package io.tallystick.proxy.rest;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/// HTTP/1.1 over so many connections; a further one is accepted and closed at once. The server's
/// own limit leaves it waiting in the kernel's queue, where it cannot tell a full service from a
/// dead one, and where idle ones keep the queue full for all others.
///
/// A TLS handshake, and a request's line and headers, have a time in all: the server's own limit is
/// between two bytes, and a byte now and then would keep a connection from others for hours.
///
/// When nearly all connections are taken, those on which nothing has happened for longest make room
/// for others: one that says something before its time is up could keep its place for ever. Made by
/// the server, by name.
public final class BoundedHttp11Protocol extends Http11NioProtocol {
  private final Endpoint endpoint;

  /// Made by the server.
  public BoundedHttp11Protocol() {
    this(new Endpoint());
  }

  private BoundedHttp11Protocol(Endpoint endpoint) {
    super(endpoint);
    this.endpoint = endpoint;
  }

  /// Takes the limits before the server starts.
  ///
  /// @param headersMax from their first byte to their last; rounded up to whole seconds
  /// @param refused runs for each connection that was closed at once
  void limit(int connectionsMax, Duration headersMax, Runnable refused) {
    endpoint.connectionsMax = connectionsMax;
    endpoint.headersMax = headersMax;
    endpoint.refused = refused;
    // The one that is about to be accepted is counted before it comes.
    setMaxConnections(connectionsMax + 1);
  }

  private static final class Endpoint extends NioEndpoint {
    private static final long SWEEP_SECONDS = 1;
    private static final long NOT_STARTED = -1;

    /// Kept free for newcomers; also how many are ended at one look.
    private static final int SPARE = 32;

    /// What a connection may always be silent between two requests.
    private static final Duration SILENT_MIN = Duration.ofSeconds(5);

    private int connectionsMax = Integer.MAX_VALUE;
    private Duration headersMax = Duration.ofDays(1);
    private Runnable refused = () -> {};
    private @Nullable ScheduledFuture<?> sweeping;

    // Of the sweeping thread: since when a handshake is known to be under way.
    private Map<SocketWrapperBase<NioChannel>, Long> handshakes = Map.of();

    @Override
    public void startInternal() throws Exception {
      super.startInternal();
      sweeping =
          getUtilityExecutor()
              .scheduleWithFixedDelay(this::sweep, SWEEP_SECONDS, SWEEP_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void stopInternal() {
      if (sweeping != null) {
        sweeping.cancel(false);
        sweeping = null;
      }
      super.stopInternal();
    }

    private void sweep() {
      try {
        endLate();
        endSilent();
      } catch (RuntimeException e) {
        getLog().warn("connections could not be looked at; again in a second", e);
      }
    }

    private void endLate() {
      long now = System.nanoTime();
      Map<SocketWrapperBase<NioChannel>, Long> handshakesNow = new HashMap<>();
      for (SocketWrapperBase<NioChannel> connection : getConnections()) {
        long since = now;
        if (!connection.getSocket().isHandshakeComplete()) {
          since = handshakes.getOrDefault(connection, now);
          handshakesNow.put(connection, since);
        } else if (connection.getCurrentProcessor() instanceof Processor half) {
          long begun = half.getRequest().getStartTimeNanos();
          since = begun == NOT_STARTED ? now : begun;
        }
        if (now - since > headersMax.toNanos()) {
          // What has begun meanwhile ends first: this waits for the connection's lock.
          connection.processSocket(SocketEvent.ERROR, true);
        }
      }
      handshakes = handshakesNow;
    }

    private void endSilent() {
      long wanted = Math.min(SPARE, getConnectionCount() - (connectionsMax - SPARE));
      if (wanted <= 0) {
        return;
      }
      long latest = System.currentTimeMillis() - SILENT_MIN.toMillis();
      List<Silent> silent = new ArrayList<>();
      for (SocketWrapperBase<NioChannel> connection : getConnections()) {
        if (connection instanceof NioSocketWrapper idle && lastByteMillis(idle) < latest) {
          silent.add(new Silent(idle, lastByteMillis(idle)));
        }
      }
      silent.sort(Comparator.comparingLong(Silent::sinceMillis));
      for (Silent next : silent) {
        if (wanted > 0 && endIfIdle(next.connection(), latest)) {
          wanted--;
        }
      }
    }

    private static long lastByteMillis(NioSocketWrapper connection) {
      return Math.max(connection.getLastRead(), connection.getLastWrite());
    }

    /// Whoever serves a request holds the connection's lock from its first byte until its answer
    /// has left, however long nothing goes over it meanwhile.
    private static boolean endIfIdle(NioSocketWrapper connection, long latestMillis) {
      ReentrantLock serving = connection.getLock();
      if (!serving.tryLock()) {
        return false;
      }
      try {
        // One whose next request has come is no longer watched for it.
        boolean idle =
            !connection.isClosed()
                && connection.getSocket().isHandshakeComplete()
                && connection.getCurrentProcessor() == null
                && connection.interestOpsHas(SelectionKey.OP_READ)
                && lastByteMillis(connection) < latestMillis;
        if (idle) {
          connection.close();
        }
        return idle;
      } finally {
        serving.unlock();
      }
    }

    /// @param sinceMillis when the last byte went over it, as it was seen
    private record Silent(NioSocketWrapper connection, long sinceMillis) {}

    @Override
    protected SocketChannel serverSocketAccept() throws Exception {
      SocketChannel accepted = super.serverSocketAccept();
      while (isRunning() && !isPaused() && getConnectionCount() > connectionsMax) {
        close(accepted);
        accepted = super.serverSocketAccept();
      }
      return accepted;
    }

    private void close(SocketChannel connection) {
      try {
        connection.close();
      } catch (IOException e) {
        getLog().debug("a connection that was refused did not close", e);
      }
      refused.run();
    }
  }
}
