package io.tallystick.storage.forest;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.Workers;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A state that is made for one purpose, beside the shard's states and independent of them, and
/// then thrown away. No savepoint has it. What memory cannot hold lies in files of its own until it
/// is closed. One thread's.
public final class ScratchForest implements AutoCloseable {
  private static final ForestLimits LIMITS =
      new ForestLimits(16L << 20, 16L << 20, 0, 0, Long.MAX_VALUE, VersionLimits.NONE);

  private final Disk disk;
  private final StrandId strand;
  private final ScratchFiles files;
  private final long unsavedBytesMax;
  private final Workers workers = new Workers(1, "scratch"); // the caller alone
  private final ForestStore store;
  private final StateForest forest;
  private final @Nullable ForestReader base; // open as long as this is

  /// @param version that it begins as; null if it begins empty
  /// @param base keeps the version, and is closed with this
  private ScratchForest(
      Disk disk,
      ScratchFiles files,
      StrandId strand,
      StateParams params,
      BatchHasher hasher,
      ForestLimits limits,
      @Nullable ForestVersion version,
      @Nullable ForestReader base)
      throws IOException, CorruptStreamException {
    this.disk = disk;
    this.strand = strand;
    this.files = files;
    this.unsavedBytesMax = limits.unsavedBytesMax();
    this.base = base;
    MetaStore rows = new NoRows();
    if (version == null) {
      this.store = ForestStore.restore(files, rows, workers, hasher, limits);
      this.forest = store.startOver(strand, params);
    } else {
      this.store = ForestStore.beside(version.store(), files, rows, workers, hasher, limits);
      this.forest = StateForest.beside(store, params, strand, version);
    }
  }

  /// An empty one.
  ///
  /// @param before what the names of its files begin with; after a crash those that are left must
  ///   be deleted before
  /// @param behind what their names end with
  /// @param hasher hashes the levels of an update
  public static ScratchForest open(
      Disk disk,
      String before,
      String behind,
      StrandId strand,
      StateParams params,
      BatchHasher hasher)
      throws IOException, CorruptStreamException {
    return open(disk, before, behind, strand, params, hasher, LIMITS);
  }

  static ScratchForest open(
      Disk disk,
      String before,
      String behind,
      StrandId strand,
      StateParams params,
      BatchHasher hasher,
      ForestLimits limits)
      throws IOException, CorruptStreamException {
    ScratchFiles files = new ScratchFiles(disk, before, behind);
    return new ScratchForest(disk, files, strand, params, hasher, limits, null, null);
  }

  /// One that begins as a version of a shard's state, which is kept until this is closed.
  ///
  /// @param before as for {@link #open}
  /// @return empty if the version is no longer kept
  public static Optional<ScratchForest> from(
      ForestVersion version,
      Disk disk,
      String before,
      String behind,
      StrandId strand,
      StateParams params,
      BatchHasher hasher)
      throws IOException, CorruptStreamException {
    Optional<ForestReader> base = version.open();
    if (base.isEmpty()) {
      return Optional.empty();
    }
    boolean done = false;
    try {
      ScratchFiles files = new ScratchFiles(disk, before, behind);
      ScratchForest scratch =
          new ScratchForest(disk, files, strand, params, hasher, LIMITS, version, base.get());
      done = true;
      return Optional.of(scratch);
    } finally {
      if (!done) {
        base.get().close();
      }
    }
  }

  /// Fills an empty one from an image.
  ///
  /// @return the height of the image's block
  /// @throws CorruptStreamException if it is missing, damaged, or another strand's
  public long load(String image) throws IOException, CorruptStreamException {
    return load(disk, image);
  }

  /// The same from an image on another disk.
  public long load(Disk from, String image) throws IOException, CorruptStreamException {
    return forest.load(from, image);
  }

  /// Carries out the operations of a block whose preconditions hold.
  ///
  /// @param height above those before
  /// @param writes in order; of those on one key the last one counts
  public void apply(long height, List<HeldEntry> writes)
      throws IOException, CorruptStreamException {
    var _ = forest.apply(height, writes);
    if (forest.unsavedBytes() > unsavedBytesMax) {
      forest.spill();
    }
  }

  public StateRoot root() {
    return forest.version().root();
  }

  /// Reads the state as it is now; no operation is carried out, and it is not closed, before the
  /// reader is. Any thread.
  public ForestReader reader() {
    return forest.version().open().orElseThrow();
  }

  /// Number of partitions.
  public int partitionCount() {
    return forest.version().partitionCount();
  }

  /// Writes all nodes to a file, from which {@link #load} and {@link StateForest#load} fill an
  /// empty state. Forced on return, but for the file's name.
  ///
  /// @param name of a file that there is none of
  /// @param block after which the state was this
  /// @throws CorruptStreamException if a node is damaged
  public void writeImage(String name, long block) throws IOException, CorruptStreamException {
    forest.version().writeImage(disk, name, strand, block);
  }

  /// Writes it as an auditor takes it over, if it has a partition. Forced on return, but for the
  /// file's name. Source: `docs/formats/audit-statement.md`, "State as of a purge".
  ///
  /// @param name of a file that there is none of
  /// @throws CorruptStreamException if a node is damaged
  public void writeSnapshot(String name) throws IOException, CorruptStreamException {
    SnapshotState.write(disk, name, forest.version(), store.cache());
  }

  /// Writes it as files that never change, one for each partition. Forced on return.
  ///
  /// @return the row with which {@link StateFiles} reads them
  /// @throws CorruptStreamException if a node is damaged
  public Bytes writeFiles(Disk to) throws IOException, CorruptStreamException {
    forest.spill();
    return StateFiles.write(to, strand, forest.version(), store.cache());
  }

  /// The number of entries, tombstones and replaced ones included.
  public long entryCount() {
    return forest.version().entryCount();
  }

  /// Deletes its files. Done already: nothing.
  @Override
  public void close() throws IOException {
    try (files;
        workers) {
      store.close();
    } finally {
      if (base != null) {
        base.close();
      }
    }
  }

  /// Files of one store under names of another disk, side by side whatever folder they are in.
  private static final class ScratchFiles implements Disk {
    private final Disk disk;
    private final String before;
    private final String behind;
    private final Set<String> opened = new TreeSet<>();

    ScratchFiles(Disk disk, String before, String behind) {
      this.disk = disk;
      this.before = before;
      this.behind = behind;
    }

    private String name(String name) {
      return before + name.substring(name.lastIndexOf('/') + 1) + behind;
    }

    @Override
    public DiskFile open(String name) throws IOException {
      opened.add(name(name));
      return disk.open(name(name));
    }

    @Override
    public boolean exists(String name) throws IOException {
      return disk.exists(name(name));
    }

    @Override
    public List<String> list(String directory) {
      return List.of();
    }

    @Override
    public void rename(String from, String to) throws IOException {
      opened.add(name(to));
      disk.rename(name(from), name(to));
    }

    @Override
    public void delete(String name) throws IOException {
      disk.delete(name(name));
    }

    /// No name has to outlive a crash.
    @Override
    public void forceDirectory(String directory) {}

    @Override
    public long freeBytes() throws IOException {
      return disk.freeBytes();
    }

    @Override
    public void close() throws IOException {
      for (String name : opened) {
        disk.delete(name);
      }
      opened.clear();
    }
  }

  /// The rows of a store that is never saved: none.
  private static final class NoRows implements MetaStore {
    @Override
    public @Nullable Bytes get(Bytes key) {
      return null;
    }

    @Override
    public void scan(Bytes prefix, @Nullable Bytes after, RowVisitor visitor) {}

    @Override
    public void write(MetaBatch batch) {
      throw new IllegalStateException("a scratch state is never saved");
    }

    @Override
    public void close() {}
  }
}
