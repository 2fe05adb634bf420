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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The transport under the gRPC server, which accepts so many connections and closes a further one
/// at once: each takes a descriptor, and a shard that finds none left stops. gRPC itself has no
/// such limit. What lies on connections unasked for has a bound too: beyond it those are closed
/// whose bytes are asked for slowest. Thread-safe.
final class BoundedTransport implements AutoCloseable {
  /// What clients have sent that no call has asked for, over all connections: half of what the
  /// transport has beside a heap of the default size.
  static final long UNASKED_BYTES_MAX = 192L << 20;

  private static final int LOOK_MILLIS = 100;

  private static final Comparator<Connection> SLOWEST_FIRST =
      Comparator.comparingLong(Connection::lastConsumedBytes)
          .thenComparing(Connection::unaskedBytes, Comparator.reverseOrder());

  private static final Logger LOG = LoggerFactory.getLogger(BoundedTransport.class);

  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final int connectionsMax;
  private final long unaskedBytesMax;
  private final Runnable refused;
  private final Map<SocketAddress, Connection> connections = new ConcurrentHashMap<>();

  /// @param unaskedBytesMax {@link #UNASKED_BYTES_MAX}
  /// @param refused runs for each connection that was closed at once
  BoundedTransport(int connectionsMax, long unaskedBytesMax, Runnable refused) {
    this.connectionsMax = connectionsMax;
    this.unaskedBytesMax = unaskedBytesMax;
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
    var _ =
        accepting.scheduleWithFixedDelay(
            this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /// At what was measured since the last time.
  private void look() {
    closeSlowest();
    connections.values().stream()
        .collect(Collectors.groupingBy(connection -> connection.channel().eventLoop()))
        .forEach((loop, theirs) -> loop.execute(() -> theirs.forEach(Connection::measure)));
  }

  private void closeSlowest() {
    long unasked = connections.values().stream().mapToLong(Connection::unaskedBytes).sum();
    if (unasked <= unaskedBytesMax) {
      return;
    }
    List<Map.Entry<SocketAddress, Connection>> slowest =
        connections.entrySet().stream()
            .filter(entry -> entry.getValue().unaskedBytes() > 0)
            .sorted(Map.Entry.comparingByValue(SLOWEST_FIRST))
            .toList();
    for (Map.Entry<SocketAddress, Connection> entry : slowest) {
      if (unasked > unaskedBytesMax) {
        unasked -= entry.getValue().unaskedBytes();
        close(entry.getKey());
      }
    }
  }

  /// Calls on the connection of that client have asked for so many bytes.
  void consumed(SocketAddress client, long bytes) {
    Connection connection = connections.get(client);
    if (connection != null) {
      connection.consumed(bytes);
    }
  }

  /// Closes the connection of a client at once, whatever is under way on it.
  void close(SocketAddress client) {
    Connection connection = connections.remove(client);
    if (connection != null) {
      LOG.info(
          "closed the connection of {}: it leaves too much unread, half sent or unasked for",
          client);
      connection.close();
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
      Connection opened = new Connection(connection);
      if (client != null) {
        connections.put(client, opened);
        connection.closeFuture().addListener(_ -> connections.remove(client, opened));
      }
      connection.closeFuture().addListener(_ -> leave(left));
      context.fireChannelRead(connection);
      if (!connection.isOpen()) {
        // What fails before it is registered never completes its future.
        leave(left);
        if (client != null) {
          connections.remove(client, opened);
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
