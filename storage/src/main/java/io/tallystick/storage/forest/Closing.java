package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Moves a strand's closed partitions from slots to files, one at a time and oldest first: some
/// nodes with each block, in its owner's thread, and from one place to the other at a savepoint.
/// Small partitions stay in slots.
final class Closing {
  /// Records written for each key of a block: a partition is in its file long before the next one
  /// is closed.
  private static final int RECORDS_PER_KEY = 8;

  private static final int RECORDS_MIN = 256;

  private final PageCache cache;
  private final Disk disk;
  private final Deletions deletions;
  private final StrandId strand;
  private final long entriesMin;
  private @Nullable PartWriter writer;

  Closing(PageCache cache, Disk disk, Deletions deletions, StrandId strand, long entriesMin) {
    this.cache = cache;
    this.disk = disk;
    this.deletions = deletions;
    this.strand = strand;
    this.entriesMin = entriesMin;
  }

  /// Goes on with the partition that is being written, or begins with the next.
  ///
  /// @param newest version, whose saved partitions may be written
  /// @param keys of the block
  /// @throws CorruptStreamException if a node is damaged; the partition stays where it is
  void advance(ForestVersion newest, long keys) throws IOException, CorruptStreamException {
    try {
      PartWriter current = writer == null ? next(newest.partitions()) : writer;
      writer = current;
      if (current != null) {
        current.write(RECORDS_MIN + RECORDS_PER_KEY * keys);
      }
    } catch (IOException | CorruptStreamException e) {
      try {
        abandon();
      } catch (IOException f) {
        e.addSuppressed(f);
      }
      throw e;
    }
  }

  private @Nullable PartWriter next(List<ForestPartition> partitions) throws IOException {
    for (ForestPartition partition : partitions) {
      if (!partition.isOpen()
          && partition.pages() instanceof SlotPages
          && partition.entryCount() >= entriesMin
          && partition.root().page() == null) {
        return PartWriter.begin(partition, cache, disk, deletions, strand);
      }
    }
    return null;
  }

  /// The fold has looked a partition through.
  void emptied(ForestPartition partition) throws IOException {
    if (writer != null && writer.partition().number() == partition.number()) {
      abandon();
    }
  }

  /// Gives up what is being written.
  void abandon() throws IOException {
    PartWriter given = writer;
    writer = null;
    if (given != null) {
      given.close();
      deletions.delete(given.name());
    }
  }

  /// The file that is written whole, to be finished; null if there is none. It is no longer this
  /// object's.
  @Nullable PartWriter takeWritten() {
    PartWriter ready = writer;
    if (ready == null || !ready.isWritten()) {
      return null;
    }
    writer = null;
    return ready;
  }

  /// What is being written is left for the next start to delete.
  void close() throws IOException {
    PartWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }
}
