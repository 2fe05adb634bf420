package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The state of a strand as of one block, as it was published; it never changes. Thread-safe.
///
/// The newest can always be read, an older one for as long as it is kept, and while a reader is
/// {@link #open}.
public final class ForestVersion {
  private final ForestStore store;
  private final long height;
  private final List<ForestPartition> partitions;
  private final Fold fold;
  private final long nextNumber;
  private final StateRoot root;
  private final BooleanSupplier saved;

  private volatile boolean dropped;
  private long replacedBytes; // of nodes that no newer version has; for the owner

  /// One that is in memory.
  ///
  /// @param partitions oldest first
  /// @param nextNumber of the next partition that is begun
  ForestVersion(
      ForestStore store,
      long height,
      List<ForestPartition> partitions,
      Fold fold,
      long nextNumber) {
    this(store, height, partitions, fold, nextNumber, () -> true);
  }

  /// One that a savepoint keeps.
  ///
  /// @param saved whether it still does
  ForestVersion(
      ForestStore store,
      long height,
      List<ForestPartition> partitions,
      Fold fold,
      long nextNumber,
      BooleanSupplier saved) {
    this.store = store;
    this.height = height;
    this.partitions = List.copyOf(partitions);
    this.fold = fold;
    this.nextNumber = nextNumber;
    this.root = StateRoot.over(this.partitions.stream().map(ForestPartition::encode).toList());
    this.saved = saved;
  }

  /// The state before any operation.
  static ForestVersion empty(ForestStore store) {
    return new ForestVersion(store, 0, List.of(), Fold.AT_FIRST, 0);
  }

  /// The same state, elsewhere.
  ForestVersion with(List<ForestPartition> moved) {
    return new ForestVersion(store, height, moved, fold, nextNumber);
  }

  /// The same state in a store that reads this one's pages as well as its own. It must be saved: a
  /// page in memory is its own owner's to make others of.
  ForestVersion beside(ForestStore other) {
    List<ForestPartition> same = new ArrayList<>();
    for (ForestPartition each : partitions) {
      if (each.root().page() != null) {
        throw new IllegalStateException("version " + height + " is not saved");
      }
      PageSource pages = each.pages() instanceof SlotPages ? other.slotPages() : each.pages();
      same.add(
          new ForestPartition(
              each.number(), each.firstHeight(), each.lastHeight(), each.root(), pages));
    }
    return new ForestVersion(other, height, same, fold, nextNumber);
  }

  public StateRoot root() {
    return root;
  }

  /// Height of the last block that changed it; 0 if none has.
  public long height() {
    return height;
  }

  /// The number of entries of all partitions, tombstones and replaced ones included.
  public long entryCount() {
    return partitions.stream().mapToLong(ForestPartition::entryCount).sum();
  }

  /// Number of partitions.
  public int partitionCount() {
    return partitions.size();
  }

  /// Bytes of the files of its closed partitions.
  long fileBytes() {
    long bytes = 0;
    for (ForestPartition partition : partitions) {
      bytes += partition.pages() instanceof PartFile file ? file.bytes() : 0;
    }
    return bytes;
  }

  ForestStore store() {
    return store;
  }

  List<ForestPartition> partitions() {
    return partitions;
  }

  Fold fold() {
    return fold;
  }

  long nextNumber() {
    return nextNumber;
  }

  /// A newer version takes its place. The owner's.
  ///
  /// @param bytes of nodes in memory that only this version and older ones have
  void replaced(long bytes) {
    replacedBytes = bytes;
  }

  long replacedBytes() {
    return replacedBytes;
  }

  /// It is kept no more: its slots may be given up from now on.
  void drop() {
    dropped = true;
  }

  /// Keeps this version's nodes until the reader is closed; empty if they are no longer kept, and a
  /// newer version must be asked.
  public Optional<ForestReader> open() {
    long version = store.slots().version();
    if (!store.slots().pin(version)) {
      throw new AssertionError("versions of states are released by no count");
    }
    if (dropped || !saved.getAsBoolean()) { // whoever drops it from now on finds the pin
      store.slots().unpin(version);
      return Optional.empty();
    }
    return retained(version);
  }

  /// Writes all nodes to a file, from which {@link StateForest#load} fills an empty state. A reader
  /// of this version is open meanwhile. Forced on return, but for the file's name.
  ///
  /// @param name of a file that there is none of
  /// @param block after which the state was this
  /// @throws CorruptStreamException if a node is damaged
  public void writeImage(Disk disk, String name, StrandId strand, long block)
      throws IOException, CorruptStreamException {
    ForestImage.write(disk, name, strand, block, this, store.cache());
  }

  private Optional<ForestReader> retained(long version) {
    List<PageSource> retained = new ArrayList<>(partitions.size());
    for (ForestPartition partition : partitions) {
      if (!partition.pages().retain()) {
        retained.forEach(PageSource::release);
        store.slots().unpin(version);
        return Optional.empty();
      }
      retained.add(partition.pages());
    }
    return Optional.of(
        new ForestReader(root, partitions, store.cache(), () -> store.slots().unpin(version)));
  }
}
