package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.FileAppender;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Writes a closed partition, which is in slots, to a file of its own, some nodes at a time: leaves
/// in order, then each level above them, then the filter. Each node must have its hash. For the
/// owner.
final class PartWriter {
  private final ForestPartition partition;
  private final PageCache cache;
  private final Disk disk;
  private final DiskFile file;
  private final StrandId strand;
  private final long serial;
  private final byte[] header;
  private final KeyFilter filter;
  private final GivenUp inSlots = new GivenUp();
  private final FileAppender out;
  private LevelCursor cursor;
  private int level;
  private long[] below = {}; // where the nodes of the level below lie, in order
  private int belowUsed;
  private long[] here = new long[64];
  private int hereCount;
  private @Nullable NodeRef root; // once all nodes are written

  private PartWriter(
      ForestPartition partition, PageCache cache, Disk disk, StrandId strand, long serial)
      throws IOException {
    this.partition = partition;
    this.cache = cache;
    this.disk = disk;
    this.strand = strand;
    this.serial = serial;
    this.header = PartFormat.header(strand, partition.number(), serial);
    this.filter = KeyFilter.forKeys(partition.entryCount());
    this.cursor = new LevelCursor(cache, partition, 0);
    this.file = disk.open(PartFormat.name(strand, partition.number(), serial));
    this.out = new FileAppender(file);
    out.put(header);
  }

  /// @param partition closed, and all of it saved
  /// @param deletions whose files' names are taken until they are done
  static PartWriter begin(
      ForestPartition partition, PageCache cache, Disk disk, Deletions deletions, StrandId strand)
      throws IOException {
    long serial = 0;
    String name = PartFormat.name(strand, partition.number(), serial);
    while (disk.exists(name) || deletions.isToDelete(name)) {
      serial++; // a file of a state that was rebuilt since, or of an attempt that failed
      name = PartFormat.name(strand, partition.number(), serial);
    }
    return new PartWriter(partition, cache, disk, strand, serial);
  }

  ForestPartition partition() {
    return partition;
  }

  boolean isWritten() {
    return root != null;
  }

  /// Writes nodes with so many records at least, or what is left.
  ///
  /// @throws CorruptStreamException if a node is damaged
  void write(long records) throws IOException, CorruptStreamException {
    long left = records;
    while (left > 0 && root == null) {
      NodeRef ref = cursor.next();
      if (ref == null) {
        below = Arrays.copyOf(here, hereCount);
        belowUsed = 0;
        hereCount = 0;
        cursor = new LevelCursor(cache, partition, ++level);
        continue;
      }
      ForestPage page = cache.scanned(partition.pages(), ref);
      long address = write(page);
      inSlots.add(ref, page);
      if (level == partition.root().level()) {
        root = NodeRef.saved(level, ref.hash(), ref.entryCount(), address);
      }
      left -= page.count();
    }
  }

  private long write(ForestPage page) throws IOException {
    byte[] image =
        switch (page) {
          case LeafPage leaf -> {
            for (int i = 0; i < leaf.count(); i++) {
              filter.add(new SoughtKey(leaf.key(i)).hash());
            }
            yield leaf.image();
          }
          case InnerPage inner -> {
            int from = belowUsed;
            belowUsed += inner.count();
            yield inner.at(Arrays.copyOfRange(below, from, belowUsed)).image();
          }
        };
    if (hereCount == here.length) {
      here = Arrays.copyOf(here, 2 * hereCount);
    }
    here[hereCount] = block(page.level(), image);
    return here[hereCount++];
  }

  /// @return its position
  private long block(int kind, byte[] image) throws IOException {
    int bytes = PartFormat.BLOCK_HEAD_BYTES + image.length;
    ByteBuffer block = ByteBuffer.allocate(bytes);
    block.putInt(0).put((byte) kind).putInt(image.length).put(image);
    return append(block.array());
  }

  /// @param bytes with a place for the checksum at the front
  private long append(byte[] bytes) throws IOException {
    long at = out.position();
    ByteBuffer.wrap(bytes).putInt(0, PartFormat.checksum(header, at, bytes, bytes.length));
    out.put(bytes);
    return at;
  }

  /// Ends and forces the file, all of whose nodes are written.
  ///
  /// @param id of the file as a source of pages
  /// @return the partition, in the file
  ForestPartition finish(long id) throws IOException, CorruptStreamException {
    NodeRef written = root;
    if (written == null) {
      throw new IllegalStateException("nodes are left to be written");
    }
    byte[] keys = filter.encode();
    long filterAt = block(PartFormat.FILTER, keys);
    append(
        ByteBuffer.allocate(PartFormat.TRAILER_BYTES)
            .putInt(0)
            .putLong(filterAt)
            .putLong(keys.length)
            .array());
    out.finish();
    file.close();
    disk.forceDirectory(PartFormat.directory(strand));
    PartFile part = PartFile.open(disk, strand, partition.number(), serial, id);
    return new ForestPartition(
        partition.number(), partition.firstHeight(), partition.lastHeight(), written, part);
  }

  /// The nodes of the partition that lie in slots.
  GivenUp inSlots() {
    return inSlots;
  }

  String name() {
    return file.name();
  }

  /// Leaves the file as it is, to be deleted.
  void close() throws IOException {
    file.close();
  }
}
