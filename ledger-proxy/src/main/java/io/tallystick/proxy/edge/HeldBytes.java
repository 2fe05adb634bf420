package io.tallystick.proxy.edge;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Bytes that clients make the service hold, over all connections, against a bound. Thread-safe.
final class HeldBytes {
  private static final long LOOK_NANOS_MIN = Duration.ofMillis(100).toNanos();

  private final long bytesMax;
  private final long heldNanosMax;
  private final Consumer<SocketAddress> closeConnection;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong overhead = new AtomicLong();
  private final Set<Share> shares = ConcurrentHashMap.newKeySet();
  private final AtomicLong lookedNanos = new AtomicLong(System.nanoTime() - LOOK_NANOS_MIN);

  /// @param heldMax after which a call's share may cost its client the connection
  /// @param closeConnection of the client at that address
  HeldBytes(long bytesMax, Duration heldMax, Consumer<SocketAddress> closeConnection) {
    this.bytesMax = bytesMax;
    this.heldNanosMax = heldMax.toNanos();
    this.closeConnection = closeConnection;
  }

  long bytesMax() {
    return bytesMax;
  }

  long bytes() {
    return bytes.get();
  }

  /// Of {@link #bytes} what certainly lies in buffers: without what was taken and nobody has said
  /// so, and without what each piece costs beyond its buffer.
  long bufferBytes() {
    settle();
    return Math.max(0, bytes.get() - overhead.get());
  }

  /// What a call holds.
  abstract class Share {
    private long held;
    private long heldOverhead;
    private long sinceNanos;
    private boolean ended;

    /// Who is to blame, null if that is not known.
    abstract @Nullable SocketAddress client();

    /// Whether what is held was taken meanwhile and nobody has said so.
    abstract boolean isSettled();

    /// @param moreOverhead what it costs beyond its buffer
    final synchronized void hold(long moreBuffer, long moreOverhead) {
      long more = moreBuffer + moreOverhead;
      if (ended || more <= 0) {
        return;
      }
      if (held == 0) {
        sinceNanos = System.nanoTime();
        shares.add(this);
      }
      held += more;
      heldOverhead += moreOverhead;
      overhead.addAndGet(moreOverhead);
      bytes.addAndGet(more);
    }

    final synchronized void release() {
      if (held > 0) {
        bytes.addAndGet(-held);
        overhead.addAndGet(-heldOverhead);
        held = 0;
        heldOverhead = 0;
        shares.remove(this);
      }
    }

    /// Lets go of some, as it was held; what is left counts as held from now on.
    final synchronized void release(long someBuffer, long someOverhead) {
      long some = someBuffer + someOverhead;
      if (some >= held) {
        release();
      } else if (some > 0) {
        bytes.addAndGet(-some);
        overhead.addAndGet(-someOverhead);
        held -= some;
        heldOverhead -= someOverhead;
        sinceNanos = System.nanoTime();
      }
    }

    /// Holds nothing from now on.
    final synchronized void end() {
      ended = true;
      release();
    }

    final synchronized long held() {
      return held;
    }

    private synchronized long heldNanos(long now) {
      return held == 0 ? 0 : now - sinceNanos;
    }
  }

  /// Whether there is room for so many bytes more; if not, whoever has held some for too long loses
  /// the connection.
  boolean hasRoomFor(long more) {
    if (bytes.get() + more <= bytesMax) {
      return true;
    }
    if (isTimeToLook()) {
      settle();
      closeLongest();
    }
    return bytes.get() + more <= bytesMax;
  }

  /// For what cannot be refused: beyond the bound, whoever holds most loses the connection, and
  /// whoever has held some for too long.
  void makeRoom() {
    if (bytes.get() > bytesMax && isTimeToLook()) {
      settle();
      if (bytes.get() > bytesMax) {
        closeLargest();
        closeLongest();
      }
    }
  }

  /// Looking at all shares for each of many calls would be work for nothing.
  private boolean isTimeToLook() {
    long now = System.nanoTime();
    long looked = lookedNanos.get();
    return now - looked >= LOOK_NANOS_MIN && lookedNanos.compareAndSet(looked, now);
  }

  private void settle() {
    for (Share share : shares) {
      if (share.isSettled()) {
        share.release();
      }
    }
  }

  private void closeLongest() {
    long now = System.nanoTime();
    Share longest = null;
    long nanos = heldNanosMax;
    for (Share share : shares) {
      if (share.heldNanos(now) > nanos) {
        longest = share;
        nanos = share.heldNanos(now);
      }
    }
    if (longest != null) {
      close(longest.client());
    }
  }

  private void closeLargest() {
    Map<SocketAddress, Long> byClient = new HashMap<>();
    for (Share share : shares) {
      SocketAddress client = share.client();
      if (client != null) {
        byClient.merge(client, share.held(), Long::sum);
      }
    }
    byClient.entrySet().stream()
        .max(Comparator.comparingLong(Map.Entry::getValue))
        .ifPresent(largest -> close(largest.getKey()));
  }

  private void close(@Nullable SocketAddress client) {
    if (client != null) {
      closeConnection.accept(client);
    }
  }
}
