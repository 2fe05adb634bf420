package io.tallystick.proxy.edge;

import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connections of the gRPC server. At most so many are open: gRPC has no such limit, and each
/// takes a descriptor. A watchdog closes the connection that holds most of the transport's memory
/// while more than a bound of it is in use. Thread-safe.
final class Connections implements AutoCloseable {
  /// Beyond it the watchdog closes connections. The transport has as much memory beside the heap as
  /// the heap is large.
  static final long PINNED_BYTES_MAX = Math.min(192L << 20, Runtime.getRuntime().maxMemory() / 2);

  /// To close a connection that holds less would not help.
  private static final long HELD_BYTES_MIN = 16 << 10;

  private static final int LOOK_MILLIS = 100;
  private static final int WAIT_SECONDS_MAX = 5;

  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private final EventLoopGroup accepting = group("grpc-accept", 1);
  private final EventLoopGroup serving =
      group("grpc-io", 2 * Runtime.getRuntime().availableProcessors());
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final ScheduledExecutorService watchdog =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("grpc-watchdog").daemon().factory());
  private final int connectionsMax;
  private final long pinnedBytesMax;
  private final Supplier<Map<SocketAddress, Long>> heldByCalls;
  private final Runnable refused;

  /// @param pinnedBytesMax {@link #PINNED_BYTES_MAX}
  /// @param heldByCalls what the calls of each client hold in the transport's memory
  /// @param refused runs for each connection that is closed at once
  Connections(
      int connectionsMax,
      long pinnedBytesMax,
      Supplier<Map<SocketAddress, Long>> heldByCalls,
      Runnable refused) {
    this.connectionsMax = connectionsMax;
    this.pinnedBytesMax = pinnedBytesMax;
    this.heldByCalls = heldByCalls;
    this.refused = refused;
    ScheduledFuture<?> _ =
        watchdog.scheduleWithFixedDelay(
            this::lookOrSay, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static EventLoopGroup group(String name, int threads) {
    IoHandlerFactory handlers =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, /* daemon= */ true), handlers);
  }

  void configure(NettyServerBuilder builder) {
    builder
        .channelFactory(this::listening)
        .bossEventLoopGroup(accepting)
        .workerEventLoopGroup(serving);
  }

  private ServerChannel listening() {
    ServerChannel listening =
        Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    listening.pipeline().addLast(new Limit());
    return listening;
  }

  /// Stands before what takes new connections over.
  private final class Limit extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (!(message instanceof Channel connection)) {
        context.fireChannelRead(message);
      } else if (open.size() >= connectionsMax) {
        refused.run(); // before the client can see it
        connection.unsafe().closeForcibly();
      } else {
        open.add(connection); // until it is closed
        context.fireChannelRead(connection);
        if (!connection.isOpen()) {
          open.remove(connection); // one that fails before it is registered tells nobody
        }
      }
    }
  }

  /// A task that fails is not run again.
  private void lookOrSay() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.error("The connections cannot be looked at", e);
    }
  }

  private record Held(Channel connection, long bytes) {}

  private void look() {
    if (open.stream().findAny().map(any -> pinnedBytes(any.alloc())).orElse(0L) <= pinnedBytesMax) {
      return;
    }
    List<CompletableFuture<Held>> measured =
        open.stream()
            .filter(Channel::isRegistered)
            .map(each -> CompletableFuture.supplyAsync(() -> measure(each), each.eventLoop()))
            .toList();
    CompletableFuture.allOf(measured.toArray(CompletableFuture[]::new))
        .orTimeout(WAIT_SECONDS_MAX, TimeUnit.SECONDS)
        .join();
    Map<SocketAddress, Long> ofCalls = heldByCalls.get();
    measured.stream()
        .map(CompletableFuture::join)
        .map(held ->
            new Held(
                held.connection,
                held.bytes + ofCalls.getOrDefault(held.connection.remoteAddress(), 0L)))
        .max(Comparator.comparingLong(Held::bytes))
        .filter(most -> most.bytes >= HELD_BYTES_MIN)
        .ifPresent(this::close);
  }

  /// The memory beside the heap that is in use; 0 of an allocator that does not know.
  static long pinnedBytes(ByteBufAllocator allocator) {
    return allocator instanceof PooledByteBufAllocator pool ? pool.pinnedDirectMemory() : 0;
  }

  /// Measures what waits to leave over the connection, and what has come that no call has asked
  /// for. On the connection's own thread.
  private static Held measure(Channel connection) {
    ChannelOutboundBuffer pending = connection.unsafe().outboundBuffer();
    long[] bytes = {pending == null ? 0 : pending.totalPendingWriteBytes()};
    var http2 = connection.pipeline().get(Http2ConnectionHandler.class);
    if (http2 != null) {
      try {
        http2
            .connection()
            .forEachActiveStream(stream -> {
              bytes[0] += http2.connection().local().flowController().unconsumedBytes(stream);
              return true;
            });
      } catch (Http2Exception e) {
        throw new IllegalStateException(e);
      }
    }
    return new Held(connection, bytes[0]);
  }

  /// At once, whatever is under way on it: not by way of the handlers, which would wait for the
  /// calls under way. Returns when its memory is free, so that nobody else is blamed for it.
  private void close(Held most) {
    Channel connection = most.connection;
    LOG.info(
        "closed the connection of {}: it held most, {} bytes, of more than {}",
        connection.remoteAddress(),
        most.bytes,
        pinnedBytesMax);
    connection.eventLoop().execute(() -> connection.unsafe().close(connection.voidPromise()));
    connection.closeFuture().awaitUninterruptibly(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
    connection
        .eventLoop()
        .submit(() -> {}) // behind what the handlers do then
        .awaitUninterruptibly(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
  }

  /// Begins to end its threads; returns at once.
  @Override
  public void close() {
    watchdog.shutdownNow();
    var _ = accepting.shutdownGracefully();
    var _ = serving.shutdownGracefully();
  }
}
