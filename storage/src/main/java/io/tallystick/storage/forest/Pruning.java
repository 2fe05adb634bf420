package io.tallystick.storage.forest;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The states whose older versions a savepoint is to drop, and those of which one has, while what
/// they gave up is not cleared. Any thread asks; the owner does the rest.
final class Pruning {
  private final Set<StateForest> asked = ConcurrentHashMap.newKeySet();
  private final Set<StateForest> dropped = ConcurrentHashMap.newKeySet();
  private long savepoint;

  void ask(StateForest forest) {
    asked.add(forest);
  }

  boolean isDue() {
    return !asked.isEmpty();
  }

  boolean isFor(StateForest forest) {
    return asked.contains(forest) || dropped.contains(forest);
  }

  /// Those that were asked for, which the savepoint drops.
  ///
  /// @param version of the slots that it makes
  List<StateForest> begin(long version) {
    List<StateForest> now = List.copyOf(asked);
    for (StateForest forest : now) {
      drops(forest, version);
      asked.remove(forest);
    }
    return now;
  }

  /// A savepoint drops versions of a state.
  void drops(StateForest forest, long version) {
    dropped.add(forest);
    savepoint = version;
  }

  /// Whether something waits to be cleared.
  boolean hasDropped() {
    return !dropped.isEmpty();
  }

  /// The last savepoint that dropped versions.
  long savepoint() {
    return savepoint;
  }

  void areCleared() {
    dropped.clear();
  }
}
