package io.tallystick.storage.forest;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;

/// The workers that update the states of a store, one state at a time, and what each of them has
/// for itself. For the owner.
final class UpdateWorkers {
  private final Workers workers;
  private final BatchHasher hasher;
  private final NodeHashing[] hashings;
  private final ChildList[] childLists;

  /// @param workers used by nobody else at the same time
  /// @param hasher hashes the levels of an update
  UpdateWorkers(Workers workers, BatchHasher hasher) {
    this.workers = workers;
    this.hasher = hasher;
    this.hashings = new NodeHashing[workers.count()];
    Arrays.setAll(hashings, _ -> new NodeHashing());
    this.childLists = new ChildList[workers.count()];
    Arrays.setAll(childLists, _ -> new ChildList());
  }

  /// As {@link Workers#run(int, int, Workers.Part)}.
  void run(int items, int chunkMin, Workers.Part part) throws IOException, CorruptStreamException {
    workers.run(items, chunkMin, part);
  }

  BatchHasher hasher() {
    return hasher;
  }

  NodeHashing hashing(int worker) {
    return hashings[worker];
  }

  /// Empty; whoever uses it {@link ChildList#clear clears} it.
  ChildList children(int worker) {
    return childLists[worker];
  }
}
