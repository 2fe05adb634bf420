package io.tallystick.storage.page;

import java.util.NavigableMap;
import java.util.TreeMap;

/// Which versions of a {@link SlotStore} are read, and up to which one slots were given to others.
/// Thread-safe.
final class SlotPins {
  private final NavigableMap<Long, Integer> pins = new TreeMap<>(); // guarded by itself
  private volatile long newestReleased;

  long newestReleased() {
    return newestReleased;
  }

  /// As the last savepoint left it.
  void restore(long released) {
    newestReleased = released;
  }

  boolean pin(long version) {
    synchronized (pins) {
      pins.merge(version, 1, Integer::sum);
      if (newestReleased <= version) {
        return true;
      }
    }
    unpin(version);
    return false;
  }

  void unpin(long version) {
    synchronized (pins) {
      pins.computeIfPresent(version, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /// The highest number if none is pinned.
  long oldest() {
    synchronized (pins) {
      return pins.isEmpty() ? Long.MAX_VALUE : pins.firstKey();
    }
  }

  /// Nobody pins what is before a version from now on, unless somebody does.
  ///
  /// @return whether nobody does
  boolean release(long version) {
    synchronized (pins) {
      if (oldest() < version) {
        return false;
      }
      newestReleased = version;
      return true;
    }
  }
}
