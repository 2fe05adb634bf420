package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Moves a strand's closed partitions from slots to files, one at a time and oldest first: some
/// nodes with each block, in its owner's thread, and from one place to the other at a savepoint.
/// Small partitions stay in slots, and so does one whose copy fails, until a try after a later
/// savepoint succeeds: slots serve it as well.
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
  private final SortedMap<Long, Exception> failed = new TreeMap<>();
  private final Set<Long> resting = new HashSet<>(); // until a savepoint: whose copies failed
  private boolean diskRests; // until a savepoint: the disk failed, not a node
  private @Nullable PartWriter writer;

  Closing(PageCache cache, Disk disk, Deletions deletions, StrandId strand, long entriesMin) {
    this.cache = cache;
    this.disk = disk;
    this.deletions = deletions;
    this.strand = strand;
    this.entriesMin = entriesMin;
  }

  /// Goes on with the partition that is being written, or begins with the next. A copy that fails
  /// is set aside: the block needs none.
  ///
  /// @param newest version, whose saved partitions may be written
  /// @param keys of the block
  void advance(ForestVersion newest, long keys) {
    PartWriter current = writer == null ? next(newest.partitions()) : writer;
    writer = current;
    if (current == null) {
      return;
    }
    try {
      current.write(RECORDS_MIN + RECORDS_PER_KEY * keys);
    } catch (IOException | CorruptStreamException e) {
      abandon();
      setAside(current.partition(), e);
    }
  }

  private void setAside(ForestPartition partition, Exception why) {
    failed.put(partition.number(), why);
    resting.add(partition.number());
    diskRests |= why instanceof IOException;
  }

  /// Those whose copies failed before come last, lest they keep the others back.
  private @Nullable PartWriter next(List<ForestPartition> partitions) {
    PartWriter first = next(partitions, false);
    return first == null ? next(partitions, true) : first;
  }

  private @Nullable PartWriter next(List<ForestPartition> partitions, boolean again) {
    for (ForestPartition partition : partitions) {
      if (!diskRests && failed.containsKey(partition.number()) == again && isDue(partition)) {
        try {
          return PartWriter.begin(partition, cache, disk, deletions, strand);
        } catch (IOException e) {
          setAside(partition, e);
        }
      }
    }
    return null;
  }

  private boolean isDue(ForestPartition partition) {
    return !partition.isOpen()
        && !resting.contains(partition.number())
        && partition.pages() instanceof SlotPages
        && partition.entryCount() >= entriesMin
        && partition.root().page() == null;
  }

  /// The fold has looked a partition through.
  void emptied(ForestPartition partition) {
    failed.remove(partition.number());
    if (writer != null && writer.partition().number() == partition.number()) {
      abandon();
    }
  }

  /// Gives up what is being written.
  void abandon() {
    PartWriter given = writer;
    writer = null;
    if (given != null) {
      delete(given);
    }
  }

  private void delete(PartWriter given) {
    try {
      given.close();
    } catch (IOException _) {
      // It is deleted all the same.
    }
    deletions.delete(given.name());
  }

  /// A partition that has its file.
  ///
  /// @param inSlots what the slots hold of it
  record Moved(ForestPartition partition, GivenUp inSlots) {}

  /// Ends the file that is written whole; null if there is none, or if it fails, which sets the
  /// copy aside. What was set aside before is tried again from now on. For a savepoint.
  ///
  /// @param id of the file as a source of pages
  @Nullable Moved finish(long id) {
    resting.clear();
    diskRests = false;
    PartWriter ready = writer;
    if (ready == null || !ready.isWritten()) {
      return null;
    }
    writer = null;
    try {
      Moved moved = new Moved(ready.finish(id), ready.inSlots());
      failed.remove(ready.partition().number());
      return moved;
    } catch (IOException | CorruptStreamException e) {
      delete(ready);
      setAside(ready.partition(), e);
      return null;
    }
  }

  /// Why each copy failed that has not succeeded since, by partition.
  SortedMap<Long, Exception> failed() {
    return Collections.unmodifiableSortedMap(failed);
  }

  /// Whether a file is being written.
  boolean isWriting(String name) {
    return writer != null && writer.name().equals(name);
  }

  /// Ends; the file that is being written is left for the next start to delete.
  void close() throws IOException {
    PartWriter open = writer;
    writer = null;
    if (open != null) {
      open.close();
    }
  }
}
