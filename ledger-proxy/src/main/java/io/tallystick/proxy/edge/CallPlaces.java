package io.tallystick.proxy.edge;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.SequencedSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The places of a {@link CallLimit} and who waits in them. Thread-safe.
final class CallPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(CallPlaces.class);

  /// How much longer a stream may wait for the service than for its client: its submissions are
  /// being answered, or its client does not read the answers.
  private static final int SERVICE_FACTOR = 6;

  private static final int IDLE_LOOKS_MAX = 64;

  /// What the end of a call may take to leave while there is room for it.
  private static final Duration LEAVING_MAX = Duration.ofSeconds(1);

  private final CallLimit.Bounds bounds;
  private final Consumer<SocketAddress> closeConnection;

  /// Asked for their request and without it, longest first.
  private final SequencedSet<Place> silent = new LinkedHashSet<>();

  /// May send more, or have not been asked yet, about in the order in which they were last heard
  /// of.
  private final SequencedSet<Place> idle = new LinkedHashSet<>();

  /// Have ended and not left yet, longest first.
  private final SequencedSet<Place> ended = new LinkedHashSet<>();

  /// Calls that have not ended.
  private int underWay;

  private final Queue<Place> displaced = new ConcurrentLinkedQueue<>();

  CallPlaces(CallLimit.Bounds bounds, Consumer<SocketAddress> closeConnection) {
    this.bounds = bounds;
    this.closeConnection = closeConnection;
  }

  /// What a call has. Its fields are under the lock of the places but where they say otherwise.
  abstract static class Place {
    private final @Nullable SocketAddress client;
    private final boolean streams;
    private boolean entered;
    private boolean ended;
    private boolean left;
    private long queuedNanos;
    private long endedNanos;

    // Any thread's.
    private volatile boolean asked;
    private volatile boolean silent;
    private volatile boolean waitsForService;
    private volatile boolean displaced;
    private volatile long heardNanos = System.nanoTime();

    /// @param client null if that is not known
    /// @param streams whether the client may send several messages, each when it is asked for it
    Place(@Nullable SocketAddress client, boolean streams) {
      this.client = client;
      this.streams = streams;
    }

    final boolean isDisplaced() {
      return displaced;
    }

    /// Ends the call.
    abstract void displace();
  }

  /// Takes a place, if need be that of another.
  ///
  /// @return whether there was one; if not the call counts as one that has ended
  boolean enter(Place place) {
    boolean entered = true;
    synchronized (this) {
      if (underWay == bounds.callsMax()) {
        Place other = longestWaiting();
        if (other == null) {
          entered = false;
        } else {
          other.displaced = true;
          finish(other);
          displaced.add(other);
        }
      }
      if (entered) {
        place.entered = true;
        underWay++;
        queue(idle, place);
      } else {
        finish(place);
      }
    }
    endDisplaced();
    makeRoomForEnded();
    return entered;
  }

  private @Nullable Place longestWaiting() {
    long now = System.nanoTime();
    Place first = longestIdle(now);
    if (!silent.isEmpty()) {
      Place longest = silent.getFirst();
      if (now - longest.heardNanos >= bounds.silentMax().toNanos()
          && (first == null || longest.heardNanos - first.heardNanos <= 0)) {
        return longest;
      }
    }
    return first;
  }

  /// Looks at a few only: those heard of since they were queued go to the end.
  private @Nullable Place longestIdle(long now) {
    for (int i = 0; i < IDLE_LOOKS_MAX && !idle.isEmpty(); i++) {
      Place first = idle.getFirst();
      long idleNanos = bounds.idleMax().toNanos() * (first.waitsForService ? SERVICE_FACTOR : 1);
      if (now - first.heardNanos >= idleNanos) {
        return first;
      }
      if (first.heardNanos == first.queuedNanos && !first.waitsForService) {
        return null;
      }
      idle.removeFirst();
      queue(idle, first);
    }
    return null;
  }

  private static void queue(SequencedSet<Place> queue, Place place) {
    place.queuedNanos = place.heardNanos;
    queue.add(place);
  }

  /// The service wants a message from now on.
  void asked(Place place) {
    if (place.asked) {
      if (place.waitsForService) {
        place.heardNanos = System.nanoTime();
        place.waitsForService = false;
      }
      return;
    }
    synchronized (this) {
      place.asked = true;
      if (idle.remove(place)) {
        place.silent = true;
        place.heardNanos = System.nanoTime();
        queue(silent, place);
      }
    }
  }

  /// A message has come.
  void heard(Place place) {
    place.heardNanos = System.nanoTime();
    place.waitsForService = place.streams;
    if (place.silent) {
      synchronized (this) {
        place.silent = false;
        if (silent.remove(place)) {
          queue(idle, place);
        }
      }
    }
  }

  /// All that the call waits for has come, so that it is not displaced any more.
  ///
  /// @return false if it was
  synchronized boolean keep(Place place) {
    silent.remove(place);
    idle.remove(place);
    return !place.displaced;
  }

  /// The call's handler ends it.
  ///
  /// @return false if it was displaced
  synchronized boolean end(Place place) {
    finish(place);
    return !place.displaced;
  }

  private void finish(Place place) {
    silent.remove(place);
    idle.remove(place);
    if (!place.ended) {
      place.ended = true;
      place.endedNanos = System.nanoTime();
      if (place.entered) {
        underWay--;
      }
      if (!place.left) {
        ended.add(place);
      }
    }
  }

  /// Nothing of the call is left.
  synchronized void leave(Place place) {
    place.left = true;
    finish(place);
    ended.remove(place);
  }

  private void endDisplaced() {
    for (Place place = displaced.poll(); place != null; place = displaced.poll()) {
      try {
        place.displace();
      } catch (RuntimeException e) {
        LOG.error("A call that has waited cannot be ended", e);
      }
    }
  }

  /// Closes the connection of whoever has not taken the end of a call for longest, if there are too
  /// many of those: one that has had little time only if there are twice as many.
  void makeRoomForEnded() {
    Place longest;
    synchronized (this) {
      if (ended.size() <= bounds.callsMax()) {
        return;
      }
      longest = ended.getFirst();
      if (System.nanoTime() - longest.endedNanos < LEAVING_MAX.toNanos()
          && ended.size() <= 2 * bounds.callsMax()) {
        return;
      }
      ended.remove(longest);
    }
    if (longest.client != null) {
      closeConnection.accept(longest.client);
    }
  }

  RequestRejectedException refusal(String why) {
    int callsMax = bounds.callsMax();
    return new RequestRejectedException(
            RejectionCode.RATE_LIMITED, callsMax + " calls are under way; " + why)
        .withLimit(callsMax);
  }
}
