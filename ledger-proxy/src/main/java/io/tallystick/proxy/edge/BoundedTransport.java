package io.tallystick.proxy.edge;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyServerBuilder;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
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
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The transport under the gRPC server, which accepts so many connections and closes a further one
/// at once: each takes a descriptor, and a shard that finds none left stops. gRPC itself has no
/// such limit. What lies on connections unasked for, or does not leave them, has a bound too:
/// beyond it those are closed that keep most of it for long. Thread-safe.
final class BoundedTransport implements AutoCloseable {
  /// What clients have sent that no call has asked for, and what has been written and not left,
  /// over all connections. The transport has as much memory beside the heap as the heap is large.
  static final long UNASKED_BYTES_MAX = Math.min(192L << 20, Runtime.getRuntime().maxMemory() / 2);

  /// Whoever makes less memory stay is not closed: it would not help.
  private static final int SLOW_BYTES_MIN = 16 << 10;

  private static final int LOOK_MILLIS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(BoundedTransport.class);

  private final EventLoopGroup accepting;
  private final EventLoopGroup serving;
  private final int connectionsMax;
  private final long unaskedBytesMax;
  private final ToLongFunction<ByteBufAllocator> keptBytes;
  private final Runnable refused;
  private final Map<SocketAddress, Connection> connections = new ConcurrentHashMap<>();
  private final AtomicInteger measuring = new AtomicInteger();
  private @Nullable Future<?> looking;

  /// @param unaskedBytesMax {@link #UNASKED_BYTES_MAX}
  /// @param keptBytes what all connections keep that nobody else counts, by their allocator: of
  ///   {@link #pinnedBytes}
  /// @param refused runs for each connection that was closed at once
  BoundedTransport(
      int connectionsMax,
      long unaskedBytesMax,
      ToLongFunction<ByteBufAllocator> keptBytes,
      Runnable refused) {
    this.connectionsMax = connectionsMax;
    this.keptBytes = keptBytes;
    this.unaskedBytesMax = unaskedBytesMax;
    this.refused = refused;
    this.accepting = group("grpc-accept", 1);
    this.serving = group("grpc-io", 2 * Runtime.getRuntime().availableProcessors());
  }

  /// Of the memory beside the heap, what is in use; 0 of an allocator that does not know.
  static long pinnedBytes(ByteBufAllocator allocator) {
    return allocator instanceof PooledByteBufAllocator pool ? pool.pinnedDirectMemory() : 0;
  }

  private static EventLoopGroup group(String name, int threads) {
    IoHandlerFactory handlers =
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(name, /* daemon= */ true), handlers);
  }

  void configure(NettyServerBuilder builder) {
    builder.channelFactory(this::open).bossEventLoopGroup(accepting).workerEventLoopGroup(serving);
    looking =
        accepting.scheduleWithFixedDelay(
            this::lookOrSay, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    builder.addTransportFilter(
        new ServerTransportFilter() {
          @Override
          public Attributes transportReady(Attributes attributes) {
            Connection ready = connections.get(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
            if (ready != null) {
              ready.follow();
            }
            return attributes;
          }
        });
  }

  /// A task that fails is not run again.
  private void lookOrSay() {
    try {
      look();
    } catch (RuntimeException e) {
      LOG.error("The connections cannot be looked at", e);
    }
  }

  /// Has every connection measured by its own thread; the last one that has done so decides.
  private void look() {
    if (measuring.get() > 0) {
      return; // a thread is busy with other things
    }
    Map<EventLoop, List<Connection>> byLoop =
        connections.values().stream().collect(Collectors.groupingBy(Connection::eventLoop));
    measuring.set(byLoop.size());
    byLoop.forEach((loop, theirs) -> {
      try {
        loop.execute(() -> measure(theirs));
      } catch (RejectedExecutionException e) {
        measuring.decrementAndGet(); // it is closing
      }
    });
  }

  private void measure(List<Connection> theirs) {
    boolean last;
    try {
      theirs.forEach(BoundedTransport::measure);
    } finally {
      last = measuring.decrementAndGet() == 0;
    }
    if (last) {
      closeSlowest();
    }
  }

  private static void measure(Connection connection) {
    try {
      connection.measure();
    } catch (RuntimeException e) {
      LOG.error("The connection of {} cannot be measured", connection.client(), e);
    }
  }

  private void closeSlowest() {
    List<Connection.Kept> all = connections.values().stream().map(Connection::kept).toList();
    long unasked = all.stream().mapToLong(Connection.Kept::unaskedBytes).sum();
    // Few bytes may hold much: the buffer stays that they were received in.
    long held =
        connections.values().stream()
            .findAny()
            .map(connection -> Math.max(unasked, keptBytes.applyAsLong(connection.allocator())))
            .orElse(0L);
    if (held <= unaskedBytesMax) {
      return;
    }
    long bytes = all.stream().mapToLong(Connection.Kept::bytes).sum();
    double heldPerByte = (double) held / Math.max(1, bytes);
    List<Connection.Kept> slowest =
        all.stream()
            .filter(kept -> heldPerByte * kept.slowBytes() >= SLOW_BYTES_MIN)
            .sorted(Comparator.comparingLong(Connection.Kept::slowBytes).reversed())
            .toList();
    double left = held;
    for (Connection.Kept kept : slowest) {
      if (left <= unaskedBytesMax) {
        break;
      }
      left -= heldPerByte * kept.bytes();
      close(kept.connection().client());
    }
  }

  /// Closes the connection of a client at once, whatever is under way on it.
  void close(SocketAddress client) {
    Connection connection = connections.remove(client);
    if (connection != null) {
      LOG.info(
          "closed the connection of {}: it leaves too much unread, half sent, unasked for, not ended"
              + " or in crumbs",
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
      if (client != null) {
        Connection opened = new Connection(client, connection, () -> close(client));
        connections.put(client, opened);
        connection.closeFuture().addListener(_ -> connections.remove(client, opened));
      }
      connection.closeFuture().addListener(_ -> leave(left));
      context.fireChannelRead(connection);
      if (!connection.isOpen()) {
        // What fails before it is registered never completes its future.
        leave(left);
        if (client != null) {
          connections.remove(client);
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
    if (looking != null) {
      looking.cancel(false);
    }
    var _ = accepting.shutdownGracefully();
    var _ = serving.shutdownGracefully();
  }
}
