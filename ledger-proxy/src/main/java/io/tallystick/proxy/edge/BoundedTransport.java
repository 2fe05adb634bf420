package io.tallystick.proxy.edge;

import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The transport under the gRPC server, which accepts so many connections and closes a further one
/// at once: each takes a descriptor, and a shard that finds none left stops. gRPC itself has no
/// such limit.
final class BoundedTransport implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedTransport.class);

  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final int connectionsMax;
  private final Runnable refused;
  private final Map<SocketAddress, Channel> connections = new ConcurrentHashMap<>();

  /// @param refused runs for each connection that was closed at once
  BoundedTransport(int connectionsMax, Runnable refused) {
    this.connectionsMax = connectionsMax;
    this.refused = refused;
    this.accepting = group("grpc-accept", 1);
    this.serving = group("grpc-io", 2 * Runtime.getRuntime().availableProcessors());
  }

  private static EventLoopGroup group(String name, int threads) {
    IoHandlerFactory handlers =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, /* daemon= */ true), handlers);
  }

  void configure(NettyServerBuilder builder) {
    builder.channelFactory(this::open).bossEventLoopGroup(accepting).workerEventLoopGroup(serving);
  }

  /// Closes the connection of a client at once, whatever is under way on it.
  void close(SocketAddress client) {
    Channel connection = connections.remove(client);
    if (connection != null) {
      LOG.info("closed the connection of {}: it leaves too much unread or half sent", client);
      // Not by way of the handlers, which would wait for the calls under way.
      connection.eventLoop().execute(() -> connection.unsafe().close(connection.voidPromise()));
    }
  }

  private ServerChannel open() {
    ServerChannel listening =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    listening.pipeline().addLast(new Limit());
    return listening;
  }

  /// Stands before what takes new connections over.
  private final class Limit extends ChannelInboundHandlerAdapter {
    private final AtomicInteger open = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (!(message instanceof Channel connection)) {
        context.fireChannelRead(message);
        return;
      }
      if (open.get() >= connectionsMax) {
        connection.unsafe().closeForcibly();
        refused.run();
        return;
      }
      open.incrementAndGet();
      AtomicBoolean left = new AtomicBoolean();
      SocketAddress client = connection.remoteAddress();
      if (client != null) {
        connections.put(client, connection);
        connection.closeFuture().addListener(_ -> connections.remove(client, connection));
      }
      connection.closeFuture().addListener(_ -> leave(left));
      context.fireChannelRead(connection);
      if (!connection.isOpen()) {
        // What fails before it is registered never completes its future.
        leave(left);
        if (client != null) {
          connections.remove(client, connection);
        }
      }
    }

    private void leave(AtomicBoolean left) {
      if (left.compareAndSet(false, true)) {
        open.decrementAndGet();
      }
    }
  }

  /// Begins to end its threads; returns at once.
  @Override
  public void close() {
    var _ = accepting.shutdownGracefully();
    var _ = serving.shutdownGracefully();
  }
}
