package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StateRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A state that never changes, each of whose partitions lies in a file, the open one too. Readers
/// are of any thread, each of its own. Source: `docs/formats/state-pages.md`, "A state made from
/// the log".
public final class StateFiles implements AutoCloseable {
  private static final long CACHE_BYTES = 16L << 20;

  private final PageCache cache = new PageCache(CACHE_BYTES);
  private final List<ForestPartition> partitions;
  private final StateRoot root;

  private StateFiles(List<ForestPartition> partitions) {
    this.partitions = partitions;
    this.root = StateRoot.over(partitions.stream().map(ForestPartition::encode).toList());
  }

  /// @param row that {@link ScratchForest#writeFiles} returned
  /// @throws CorruptStreamException if it cannot be read, or a file is missing or not whole
  public static StateFiles open(Disk disk, StrandId strand, Bytes row)
      throws IOException, CorruptStreamException {
    List<ForestPartition> partitions = new ArrayList<>();
    boolean done = false;
    try {
      for (ForestHead.Part part : ForestHead.read(strand, row).parts()) {
        if (part.file() == ForestHead.Part.IN_SLOTS) {
          throw new CorruptStreamException(
              "state of " + strand,
              0,
              String.format(Locale.ROOT, "partition %d lies in no file", part.number()));
        }
        PartFile file =
            PartFile.open(disk, strand, part.number(), part.file(), partitions.size() + 1L);
        partitions.add(
            new ForestPartition(
                part.number(), part.firstHeight(), part.lastHeight(), part.root(), file));
      }
      StateFiles files = new StateFiles(List.copyOf(partitions));
      done = true;
      return files;
    } finally {
      if (!done) {
        close(partitions);
      }
    }
  }

  /// Writes a version, all of whose nodes are in slots.
  ///
  /// @return the row that names the files
  static Bytes write(Disk disk, StrandId strand, ForestVersion version, PageCache cache)
      throws IOException, CorruptStreamException {
    Deletions none = new Deletions(disk);
    List<ForestPartition> written = new ArrayList<>();
    try {
      for (ForestPartition partition : version.partitions()) {
        written.add(write(PartWriter.begin(partition, cache, disk, none, strand)));
      }
      return new ForestHead(
              version.height(),
              version.nextNumber(),
              version.fold(),
              written.stream().map(ForestHead.Part::of).toList())
          .encode(strand);
    } finally {
      close(written);
    }
  }

  private static ForestPartition write(PartWriter writer)
      throws IOException, CorruptStreamException {
    try {
      writer.write(Long.MAX_VALUE);
      return writer.finish(0);
    } finally {
      writer.close();
    }
  }

  private static void close(List<ForestPartition> partitions) throws IOException {
    for (ForestPartition partition : partitions) {
      if (partition.pages() instanceof PartFile file) {
        file.close();
      }
    }
  }

  public StateRoot root() {
    return root;
  }

  /// Reads the state, as long as this is open.
  public ForestReader reader() {
    partitions.forEach(partition -> partition.pages().retain());
    return new ForestReader(root, partitions, cache, () -> {});
  }

  @Override
  public void close() throws IOException {
    close(partitions);
  }
}
