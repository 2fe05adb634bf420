package io.tallystick.storage.forest;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.FileAppender;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The state of a strand as an auditor takes it over who cannot read the journals that made it: the
/// nodes of all partitions, depth first, and where the fold is. No value and no place is in it.
/// Source: `docs/formats/audit-statement.md`, "State as of a purge".
final class SnapshotState {
  private static final byte[] MAGIC = "TALLYSTI".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 8 + 4 + 8 + 4 * 8 + 4;
  private static final int PARTITION_BYTES = 4 * 8 + 32;
  private static final int NODE_HEAD_BYTES = 1 + 2;

  /// As passEnd: no pass runs; as lastHeight: the partition is open.
  private static final long NONE = -1;

  private final FileAppender out;
  private final PageCache cache;

  private SnapshotState(FileAppender out, PageCache cache) {
    this.out = out;
    this.cache = cache;
  }

  /// Writes a version, which is not changed or given up meanwhile. Forced on return, but for the
  /// file's name.
  ///
  /// @param name of a file that there is none of
  /// @param version with at least one partition
  /// @throws CorruptStreamException if a node is damaged
  static void write(Disk disk, String name, ForestVersion version, PageCache cache)
      throws IOException, CorruptStreamException {
    try (DiskFile file = disk.open(name)) {
      FileAppender out = new FileAppender(file);
      out.put(head(version));
      for (ForestPartition partition : version.partitions()) {
        out.put(head(partition));
      }
      SnapshotState state = new SnapshotState(out, cache);
      for (ForestPartition partition : version.partitions()) {
        state.node(partition.pages(), partition.root());
      }
      out.finish();
    }
  }

  private static byte[] head(ForestVersion version) {
    Fold fold = version.fold();
    ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES);
    head.put(MAGIC).putInt(VERSION).putLong(version.nextNumber());
    head.putLong(fold.runs() ? fold.passEnd() : NONE).putLong(fold.position());
    head.putLong(fold.carried()).putLong(fold.carriedBefore());
    return head.putInt(version.partitionCount()).array();
  }

  private static byte[] head(ForestPartition partition) {
    ByteBuffer head = ByteBuffer.allocate(PARTITION_BYTES);
    head.putLong(partition.number()).putLong(partition.firstHeight());
    head.putLong(partition.lastHeight().orElse(NONE)).putLong(partition.entryCount());
    return head.put(partition.root().hash().toArray()).array();
  }

  /// At most 16 deep.
  private void node(PageSource pages, NodeRef ref) throws IOException, CorruptStreamException {
    ForestPage page = cache.scanned(pages, ref);
    ByteBuffer head = ByteBuffer.allocate(NODE_HEAD_BYTES);
    out.put(head.put((byte) page.level()).putShort((short) page.count()).array());
    switch (page) {
      case LeafPage leaf -> {
        for (int i = 0; i < leaf.count(); i++) {
          string(leaf.record(i));
        }
      }
      case InnerPage inner -> {
        for (Bytes separator : inner.separators().values()) {
          string(separator);
        }
        for (int slot = 0; slot < inner.count(); slot++) {
          node(pages, inner.child(slot));
        }
      }
    }
  }

  private void string(Bytes bytes) throws IOException {
    ByteBuffer string = ByteBuffer.allocate(Short.BYTES + bytes.size());
    out.put(string.putShort((short) bytes.size()).put(bytes.unsafeArray()).array());
  }
}
