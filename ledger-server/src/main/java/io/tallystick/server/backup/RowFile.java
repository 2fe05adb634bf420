package io.tallystick.server.backup;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.storage.clue.ClueIndex;
import io.tallystick.storage.forest.ForestStore;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.patricia.PatriciaStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;

/// The rows of a meta store in one file, but for those that are made again with the indexes.
/// Source: docs/formats/backup.md.
///
/// ```
///  0        4        6        8
///  +--------+--------+--------+----------+------------+-----+-------+----
///  | magic  | format | zeros  | keyBytes | valueBytes | key | value | ...
///  +--------+--------+--------+----------+------------+-----+-------+----
/// ```
final class RowFile {
  static final String NAME = "rows";
  private static final int MAGIC = 0x54534252; // TSBR
  private static final short FORMAT = 1;
  private static final int HEADER_BYTES = 8;
  private static final int LENGTHS_BYTES = 8;
  private static final int BUFFER_BYTES = 256 << 10;
  private static final int BATCH_BYTES = 4 << 20;
  private static final int KEY_BYTES_MAX = 1 << 16;
  private static final int VALUE_BYTES_MAX = 1 << 30;

  /// Rows that are written by themselves, before a frame needs them: those are read again when it
  /// is known which frames are in the backup.
  private static final List<Bytes> BY_THEMSELVES = List.of(Bytes.utf8("i"));

  private RowFile() {}

  /// Whether an index is made again without this row.
  static boolean isOfIndex(Bytes key) {
    return ClueIndex.isRow(key) || PatriciaStore.isRow(key) || ForestStore.isRow(key);
  }

  /// Hears of each row that is written.
  @FunctionalInterface
  interface Seen {
    void row(Bytes key, Bytes value) throws IOException;
  }

  /// Writes rows. One thread's.
  static final class Writer {
    private final BackupFileWriter part;
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    Writer(BackupFileWriter part) {
      this.part = part;
      buffer.putInt(MAGIC).putShort(FORMAT).putShort((short) 0);
    }

    /// All rows as of one moment.
    void all(MetaStore meta, Seen seen) throws IOException {
      rows(meta, Bytes.EMPTY, seen);
    }

    /// Those that may have come since {@link #all}, and are needed; a later one counts.
    void late(MetaStore meta) throws IOException {
      for (Bytes prefix : BY_THEMSELVES) {
        rows(meta, prefix, (_, _) -> {});
      }
    }

    private void rows(MetaStore meta, Bytes prefix, Seen seen) throws IOException {
      meta.scan(
          prefix,
          null,
          (key, value) -> {
            if (!isOfIndex(key)) {
              seen.row(key, value);
              put(key, value);
            }
            return true;
          });
    }

    private void put(Bytes key, Bytes value) throws IOException {
      int bytes = LENGTHS_BYTES + key.size() + value.size();
      if (buffer.remaining() < bytes) {
        flush();
      }
      if (buffer.capacity() < bytes) {
        buffer = ByteBuffer.allocate(bytes);
      }
      buffer.putInt(key.size()).putInt(value.size());
      buffer.put(key.toArray()).put(value.toArray());
    }

    private void flush() throws IOException {
      part.write(buffer.flip());
      buffer.clear();
    }

    BackupManifest.Part finish() throws IOException {
      flush();
      return part.finish();
    }
  }

  /// Puts all rows into a meta store, a bounded batch at a time.
  ///
  /// @throws MalformedException if it is no file of rows
  static void read(InputStream in, MetaStore meta) throws IOException, MalformedException {
    ByteBuffer header = ByteBuffer.wrap(in.readNBytes(HEADER_BYTES));
    if (header.remaining() < HEADER_BYTES
        || header.getInt() != MAGIC
        || header.getShort() != FORMAT) {
      throw new MalformedException("no file of rows of format " + FORMAT);
    }
    MetaBatch batch = new MetaBatch();
    long batchBytes = 0;
    while (true) {
      ByteBuffer lengths = ByteBuffer.wrap(in.readNBytes(LENGTHS_BYTES));
      if (lengths.remaining() == 0) {
        break;
      }
      if (lengths.remaining() < LENGTHS_BYTES) {
        throw new MalformedException("a row is cut off");
      }
      int keyBytes = lengths.getInt();
      int valueBytes = lengths.getInt();
      if (keyBytes < 1
          || keyBytes > KEY_BYTES_MAX
          || valueBytes < 0
          || valueBytes > VALUE_BYTES_MAX) {
        throw new MalformedException(
            String.format(Locale.ROOT, "row of %d and %d bytes", keyBytes, valueBytes));
      }
      batch.put(bytes(in, keyBytes), bytes(in, valueBytes));
      batchBytes += keyBytes + valueBytes;
      if (batchBytes >= BATCH_BYTES) {
        meta.write(batch);
        batch = new MetaBatch();
        batchBytes = 0;
      }
    }
    meta.write(batch);
  }

  private static Bytes bytes(InputStream in, int count) throws IOException, MalformedException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new MalformedException("a row is cut off");
    }
    return Bytes.wrap(bytes);
  }
}
