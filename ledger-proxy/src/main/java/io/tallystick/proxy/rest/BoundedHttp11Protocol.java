package io.tallystick.proxy.rest;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;

/// HTTP/1.1 over so many connections; a further one is accepted and closed at once. The server's
/// own limit leaves it waiting in the kernel's queue, where it cannot tell a full service from a
/// dead one, and where idle ones keep the queue full for all others. Made by the server, by name.
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

  /// Takes the limit before the server starts.
  ///
  /// @param refused runs for each connection that was closed at once
  void limit(int connectionsMax, Runnable refused) {
    endpoint.connectionsMax = connectionsMax;
    endpoint.refused = refused;
    // The one that is about to be accepted is counted before it comes.
    setMaxConnections(connectionsMax + 1);
  }

  private static final class Endpoint extends NioEndpoint {
    private int connectionsMax = Integer.MAX_VALUE;
    private Runnable refused = () -> {};

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
