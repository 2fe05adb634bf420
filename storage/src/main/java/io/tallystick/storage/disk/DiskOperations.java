package io.tallystick.storage.disk;

import io.tallystick.storage.disk.DiskOperation.Kind;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// The operations of a disk that have begun and not ended, one for each thread at most. Beginning
/// one costs a look at the clock and a volatile write, and allocates nothing. Thread-safe.
public final class DiskOperations {
  private final ConcurrentLinkedQueue<Place> places = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<Place> mine = ThreadLocal.withInitial(this::newPlace);

  /// Where a thread says what it is doing; ends that by closing it.
  public static final class Place implements AutoCloseable {
    private static final long NOTHING = 0;

    private final Thread thread = Thread.currentThread();
    private Kind kind = Kind.READ;
    private String file = "";
    private volatile long sinceNanos = NOTHING;

    private Place() {}

    private @Nullable DiskOperation operation() {
      long since = sinceNanos;
      DiskOperation now = new DiskOperation(kind, file, since);
      return since == NOTHING || since != sinceNanos ? null : now;
    }

    @Override
    public void close() {
      sinceNanos = NOTHING;
    }
  }

  private Place newPlace() {
    Place place = new Place();
    places.add(place);
    return place;
  }

  /// The calling thread begins an operation, which ends when the place is closed.
  public Place begin(Kind kind, String file) {
    Place place = mine.get();
    place.kind = kind;
    place.file = file;
    place.sinceNanos = System.nanoTime() | 1; // never NOTHING
    return place;
  }

  /// The one that has been going on longest. Forgets the threads that have ended.
  public Optional<DiskOperation> oldest() {
    DiskOperation oldest = null;
    for (Iterator<Place> all = places.iterator(); all.hasNext(); ) {
      Place place = all.next();
      DiskOperation now = place.operation();
      if (now != null && (oldest == null || now.sinceNanos() - oldest.sinceNanos() < 0)) {
        oldest = now;
      } else if (!place.thread.isAlive()) {
        all.remove();
      }
    }
    return Optional.ofNullable(oldest);
  }
}
