package io.tallystick.storage.forest;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The newest version of a state, and those before it since the last savepoint, without gaps, as
/// far as memory allows. The owner changes them, any thread asks.
final class RecentVersions {
  private final ForestStore store;
  private final NavigableMap<Long, ForestVersion> versions = new ConcurrentSkipListMap<>();
  private volatile ForestVersion newest;

  RecentVersions(ForestStore store, ForestVersion newest) {
    this.store = store;
    this.newest = newest;
    versions.put(newest.height(), newest);
  }

  ForestVersion newest() {
    return newest;
  }

  /// The newest that no block above a height made; null if there is none.
  @Nullable ForestVersion floor(long height) {
    Map.Entry<Long, ForestVersion> entry = versions.floorEntry(height);
    return entry == null ? null : entry.getValue();
  }

  int size() {
    return versions.size();
  }

  /// A block has made a version; those before stay.
  ///
  /// @param replacedBytes of nodes in memory that only versions before it have
  void add(ForestVersion next, long replacedBytes) {
    synchronized (store.keeping()) {
      ForestVersion old = newest;
      old.replaced(replacedBytes);
      newest = next;
      versions.put(next.height(), next);
      if (old.height() != next.height()) {
        store.replaced(this, old);
        while (versions.size() > store.limits().recentVersions() + 1) {
          drop(versions.firstEntry().getValue());
        }
      }
    }
  }

  /// No reader knows of the versions before.
  void startOver(ForestVersion next) {
    synchronized (store.keeping()) {
      versions.clear();
      newest = next;
      versions.put(next.height(), next);
    }
  }

  /// The newest lies elsewhere.
  void replaceNewest(ForestVersion same) {
    synchronized (store.keeping()) {
      ForestVersion old = newest;
      newest = same;
      versions.put(same.height(), same);
      old.drop();
    }
  }

  /// One before the newest is kept no more.
  void drop(ForestVersion version) {
    synchronized (store.keeping()) {
      version.drop();
      versions.remove(version.height(), version);
      store.dropped(version);
    }
  }

  /// What savepoints keep is what lasts: after one the older versions go.
  void dropOlder() {
    synchronized (store.keeping()) {
      List.copyOf(versions.headMap(newest.height(), false).values()).forEach(this::drop);
    }
  }

  /// None is asked for any more.
  void dropAll() {
    synchronized (store.keeping()) {
      dropOlder();
      newest.drop();
    }
  }
}
