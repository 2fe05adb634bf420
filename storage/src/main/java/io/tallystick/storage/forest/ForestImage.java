package io.tallystick.storage.forest;

import io.tallystick.model.StrandId;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.FileAppender;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/// The state of a strand after one block, in a file of its own: all its nodes, from which it is
/// filled again when the operations of earlier blocks are gone. Big-endian. Source:
/// `docs/formats/state-pages.md`, "Image".
///
/// ```
///  header   "tlysimag" | format (u32) | ledger (32) | strand (u32) | height (u64) | crc32c
///  record   bytes (u32) | crc32c | content
///  contents: the strand's row; then the nodes of each partition, leaves first: level (u8), image
/// ```
///
/// A record's checksum covers the header, the record's position and its content.
final class ForestImage {
  static final int HEADER_BYTES = 8 + 4 + 32 + 4 + 8 + 4;
  static final int RECORD_HEAD_BYTES = 8;
  private static final long MAGIC = 0x746c7973696d6167L; // tlysimag
  private static final int FORMAT = 1;
  private static final int HEIGHT_AT = 8 + 4 + 32 + 4;

  private final FileAppender out;
  private final byte[] header;

  private ForestImage(FileAppender out, byte[] header) throws IOException {
    this.out = out;
    this.header = header;
    out.put(header);
  }

  static byte[] header(StrandId strand, long height) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putInt(FORMAT).put(strand.ledger().digest().toArray());
    header.putInt(strand.strand()).putLong(height);
    CRC32C crc = new CRC32C();
    crc.update(header.array(), 0, header.position());
    return header.putInt((int) crc.getValue()).array();
  }

  static long heightOf(byte[] header) {
    return ByteBuffer.wrap(header).getLong(HEIGHT_AT);
  }

  static int checksum(byte[] header, long position, byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(header);
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(position).flip());
    crc.update(content);
    return (int) crc.getValue();
  }

  /// Writes the image of a version, which the caller has open for reading, while later blocks may
  /// be applied. Forced on return, but for the file's name.
  ///
  /// @param name of a file that there is none of
  /// @param height of the block after which the state was this version
  /// @throws CorruptStreamException if a node is damaged
  static void write(
      Disk disk, String name, StrandId strand, long height, ForestVersion version, PageCache cache)
      throws IOException, CorruptStreamException {
    try (DiskFile file = disk.open(name)) {
      FileAppender out = new FileAppender(file);
      ForestImage image = new ForestImage(out, header(strand, height));
      image.record(head(version).encode(strand).toArray());
      for (ForestPartition partition : version.partitions()) {
        for (int level = 0; level <= partition.root().level(); level++) {
          image.level(new LevelCursor(cache, partition, level), partition, cache);
        }
      }
      out.finish();
    }
  }

  /// As a savepoint has it, but that no node has an address.
  private static ForestHead head(ForestVersion version) {
    List<ForestHead.Part> parts = new ArrayList<>();
    for (ForestPartition each : version.partitions()) {
      NodeRef root = each.root();
      parts.add(
          new ForestHead.Part(
              each.number(),
              each.firstHeight(),
              each.lastHeight(),
              NodeRef.saved(root.level(), root.hash(), root.entryCount(), 0),
              ForestHead.Part.IN_SLOTS));
    }
    return new ForestHead(version.height(), version.nextNumber(), version.fold(), parts);
  }

  private void level(LevelCursor cursor, ForestPartition partition, PageCache cache)
      throws IOException, CorruptStreamException {
    for (NodeRef ref = cursor.next(); ref != null; ref = cursor.next()) {
      ForestPage page = cache.scanned(partition.pages(), ref);
      byte[] image =
          switch (page) {
            case LeafPage leaf -> leaf.image();
            case InnerPage inner -> inner.at(new long[inner.count()]).image();
          };
      ByteBuffer node = ByteBuffer.allocate(1 + image.length);
      record(node.put((byte) page.level()).put(image).array());
    }
  }

  private void record(byte[] content) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(RECORD_HEAD_BYTES + content.length);
    record.putInt(content.length).putInt(checksum(header, out.position(), content));
    out.put(record.put(content).array());
  }
}
