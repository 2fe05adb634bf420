package io.tallystick.wire;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// The server's end of the wire: listens for proxies and masters.
public final class NodeListener implements AutoCloseable {
  /// Between two signs of life of a connection: of a peer that shows none for twice as long nothing
  /// is waited for.
  static final long KEEP_ALIVE_SECONDS = 5;

  private static final int THREADS = 64;
  private static final int CALLS_PER_CONNECTION_MAX = 256;
  private static final long CLOSE_SECONDS = 5;

  private final Server server;
  private final ExecutorService threads;
  private final NodeService service;

  private NodeListener(Server server, ExecutorService threads, NodeService service) {
    this.server = server;
    this.service = service;
    this.threads = threads;
  }

  /// Listens.
  ///
  /// @param address port 0: any that is free
  /// @param tls empty: in the clear, which only this machine's own processes may
  /// @throws IOException also if it is in the clear and others could reach it
  public static NodeListener start(
      InetSocketAddress address, Optional<WireTls> tls, NodeService service) throws IOException {
    checkClear(address, tls);
    ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS, Thread.ofPlatform().name("wire-", 0).daemon().factory());
    try {
      NettyServerBuilder builder =
          NettyServerBuilder.forAddress(address)
              .executor(threads)
              .maxInboundMessageSize(NodeMethods.MESSAGE_BYTES_MAX)
              .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
              .keepAliveTimeout(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
              .permitKeepAliveTime(KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS)
              .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION_MAX)
              .addService(service);
      if (tls.isPresent()) {
        builder.sslContext(tls.get().server(Set.of(WireRole.PROXY, WireRole.MASTER)));
      }
      return new NodeListener(builder.build().start(), threads, service);
    } catch (IOException | RuntimeException e) {
      threads.shutdownNow();
      throw e;
    }
  }

  /// @throws IOException if bytes would cross a network in the clear
  static void checkClear(InetSocketAddress address, Optional<WireTls> tls) throws IOException {
    if (tls.isEmpty()
        && (address.getAddress() == null || !address.getAddress().isLoopbackAddress())) {
      throw new IOException(
          "no TLS between proxy and server, which is for loopback alone, and the address is "
              + address);
    }
  }

  public int port() {
    return server.getPort();
  }

  @Override
  public void close() {
    service.endWatches();
    server.shutdown();
    try {
      if (!server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        server.shutdownNow();
      }
    } catch (InterruptedException _) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
  }
}
