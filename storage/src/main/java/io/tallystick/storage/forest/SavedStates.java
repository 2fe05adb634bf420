package io.tallystick.storage.forest;

import io.tallystick.storage.forest.SavedList.Saved;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads the versions of a state that savepoints keep. Thread-safe.
final class SavedStates {
  /// A savepoint comes behind the block with which it became due: two versions may lie so many
  /// times further apart than they should.
  private static final int REACH = 2;

  private final ForestStore store;
  private final SavedVersions saved;
  private final PartFiles files;

  SavedStates(ForestStore store, SavedVersions saved, PartFiles files) {
    this.store = store;
    this.saved = saved;
    this.files = files;
  }

  /// @param operations until the newest version
  VersionAt at(long height, long operations) throws IOException, CorruptStreamException {
    List<Saved> versions = saved.versions();
    Saved floor = saved.floor(height);
    if (floor != null) {
      ForestVersion version = version(floor.height());
      long behind = operationsBehind(versions, floor, operations);
      long most = REACH * store.limits().saved().operationsBetween();
      return version == null
          ? new VersionAt.Changed()
          : new VersionAt.Saved(version, behind, behind <= most);
    }
    boolean pruned = !versions.isEmpty() && versions.getFirst().height() > height;
    return pruned ? new VersionAt.Pruned(versions.getFirst().height()) : new VersionAt.Changed();
  }

  private static long operationsBehind(List<Saved> versions, Saved floor, long operations) {
    for (Saved each : versions) {
      if (each.height() > floor.height()) {
        return each.operations() - floor.operations();
      }
    }
    return operations - floor.operations();
  }

  /// @return null if it is saved no more
  @Nullable ForestVersion version(long height) throws IOException, CorruptStreamException {
    long moves = saved.moves();
    ForestHead head = saved.row(height);
    if (head == null) {
      return null;
    }
    List<ForestPartition> partitions =
        files.partitionsIf(head, () -> saved.has(height) && saved.moves() == moves);
    return partitions == null
        ? null
        : new ForestVersion(
            store,
            height,
            partitions,
            head.fold(),
            head.nextNumber(),
            () -> saved.has(height) && saved.moves() == moves);
  }
}
