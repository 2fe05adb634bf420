package io.tallystick.proxy.edge;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.net.SocketAddress;
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

  private final CallLimit.Bounds bounds;
  private final Consumer<SocketAddress> closeConnection;

  /// Asked for its request and without it, longest first.
  private final SequencedSet<Place> silent = new LinkedHashSet<>();

  /// May send more, or has not been asked yet. About in the order in which they were last heard of.
  private final SequencedSet<Place> idle = new LinkedHashSet<>();

  /// Ended, and not left yet; longest first.
  private final SequencedSet<Place> ended = new LinkedHashSet<>();

  /// Calls that have not ended.
  private int underWay;

  private final Queue<Place> displaced = new ConcurrentLinkedQueue<>();

  CallPlaces(CallLimit.Bounds bounds, Consumer<SocketAddress> closeConnection) {
    this.bounds = bounds;
    this.closeConnection = closeConnection;
  }

  /// What a call has. Its fields are under the lock of the places.
  abstract static class Place {
    private final @Nullable SocketAddress client;
    private boolean asked;
    private boolean ended;
    private boolean left;
    private long queuedNanos;
    private volatile long heardNanos = System.nanoTime();
    private volatile boolean displaced;

    /// @param client null if that is not known
    Place(@Nullable SocketAddress client) {
      this.client = client;
    }

    final boolean isDisplaced() {
      return displaced;
    }

    /// Ends the call, which waits for its client.
    abstract void displace();
  }

  /// Takes a place, if need be that of another.
  ///
  /// @return whether there was one
  boolean enter(Place place) {
    synchronized (this) {
      if (underWay == bounds.callsMax()) {
        Place other = longestWaiting();
        if (other == null) {
          return false;
        }
        other.displaced = true;
        finish(other);
        displaced.add(other);
      }
      underWay++;
      queue(idle, place);
    }
    endDisplaced();
    makeRoomForEnded();
    return true;
  }

  private @Nullable Place longestWaiting() {
    long now = System.nanoTime();
    if (!silent.isEmpty() && now - silent.getFirst().heardNanos >= bounds.silentMax().toNanos()) {
      return silent.getFirst();
    }
    for (int i = idle.size(); i > 0; i--) {
      Place first = idle.getFirst();
      if (first.heardNanos == first.queuedNanos) {
        return now - first.heardNanos >= bounds.idleMax().toNanos() ? first : null;
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

  /// The service wants the call's request from now on.
  synchronized void asked(Place place) {
    if (!place.asked) {
      place.asked = true;
      if (idle.remove(place)) {
        place.heardNanos = System.nanoTime();
        queue(silent, place);
      }
    }
  }

  /// A message has come.
  void heard(Place place) {
    place.heardNanos = System.nanoTime();
    synchronized (this) {
      if (silent.remove(place)) {
        queue(idle, place);
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
      underWay--;
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
  /// many of those.
  void makeRoomForEnded() {
    Place longest;
    synchronized (this) {
      if (ended.size() <= bounds.callsMax()) {
        return;
      }
      longest = ended.removeFirst();
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
