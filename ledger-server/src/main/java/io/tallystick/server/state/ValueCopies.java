package io.tallystick.server.state;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.state.StateValue;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFile;
import io.tallystick.storage.disk.FileAppender;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StoredBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;

/// The values of a state that lie in bodies which a purge erases, copied to a file of their own:
/// those of the keys that had one when the copies were made, ascending by key. Nothing but zeros of
/// occulted ones is written to it later. Big-endian. Source: `docs/formats/state-pages.md`, "Values
/// that a purge leaves".
///
/// ```
///  header   "tlyvalue" | format (u32) | ledger (32) | strand (u32) | height (u64) | crc32c
///  item     crc32c | jsn (u64) | bytes of the value (u32) | of the key (u16) | key | opening (32), value
///  table    position (u64) of each 16th item
///  trailer  crc32c | number of items (u64) | position of the table (u64)
/// ```
///
/// The checksum of an item covers header, position, and all up to the key; a value is compared with
/// its commitment instead. That of the trailer covers header, position and what follows it.
final class ValueCopies implements AutoCloseable {
  private static final long MAGIC = 0x746c7976616c7565L; // tlyvalue
  private static final int FORMAT = 1;
  private static final int HEADER_BYTES = 8 + 4 + 32 + 4 + 8 + 4;
  private static final int ITEM_HEAD_BYTES = 4 + 8 + 4 + 2;
  private static final int ITEMS_PER_POSITION = 16;
  private static final int TRAILER_BYTES = 4 + 8 + 8;

  private final DiskFile file;
  private final byte[] header;
  private final long items;
  private final long tableAt;

  private ValueCopies(DiskFile file, byte[] header, long items, long tableAt) {
    this.file = file;
    this.header = header;
    this.items = items;
    this.tableAt = tableAt;
  }

  private static byte[] header(StrandId strand, long height) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putInt(FORMAT).put(strand.ledger().digest().toArray());
    header.putInt(strand.strand()).putLong(height);
    CRC32C crc = new CRC32C();
    crc.update(header.array(), 0, header.position());
    return header.putInt((int) crc.getValue()).array();
  }

  /// @param bytes from a checksum on, which itself is not covered
  private static int checksum(byte[] header, long position, byte[] bytes, int count) {
    CRC32C crc = new CRC32C();
    crc.update(header);
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(position).flip());
    crc.update(bytes, Integer.BYTES, count - Integer.BYTES);
    return (int) crc.getValue();
  }

  /// Writes copies in key order. Nothing counts before {@link #finish}.
  static final class Writer implements AutoCloseable {
    private final DiskFile file;
    private final byte[] header;
    private final FileAppender out;
    private long items;
    private long[] table = new long[64];

    /// @param name of a file that there is none of
    /// @param height of the last block that the purge removes
    Writer(Disk disk, String name, StrandId strand, long height) throws IOException {
      this.file = disk.open(name);
      this.header = header(strand, height);
      this.out = new FileAppender(file);
      out.put(header);
    }

    void add(StateEntry entry, StateValue value) throws IOException {
      if (items % ITEMS_PER_POSITION == 0) {
        int index = (int) (items / ITEMS_PER_POSITION);
        table = index == table.length ? Arrays.copyOf(table, 2 * index) : table;
        table[index] = out.position();
      }
      int keyBytes = entry.key().size();
      ByteBuffer head = ByteBuffer.allocate(ITEM_HEAD_BYTES + keyBytes);
      head.putInt(0).putLong(entry.jsn().value()).putInt(value.value().size());
      head.putShort((short) keyBytes).put(entry.key().unsafeArray());
      head.putInt(0, checksum(header, out.position(), head.array(), head.capacity()));
      out.put(head.array());
      out.put(value.opening().toArray());
      out.put(value.value().unsafeArray());
      items++;
    }

    /// Forced on return, but for the file's name.
    void finish() throws IOException {
      long tableAt = out.position();
      for (int i = 0; i < Math.ceilDiv(items, ITEMS_PER_POSITION); i++) {
        out.put(ByteBuffer.allocate(Long.BYTES).putLong(table[i]).array());
      }
      ByteBuffer trailer = ByteBuffer.allocate(TRAILER_BYTES);
      trailer.putInt(0).putLong(items).putLong(tableAt);
      trailer.putInt(0, checksum(header, out.position(), trailer.array(), TRAILER_BYTES));
      out.put(trailer.array());
      out.finish();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /// @throws CorruptStreamException if the file is missing, not whole, or another purge's
  static ValueCopies open(Disk disk, String name, StrandId strand, long height)
      throws IOException, CorruptStreamException {
    if (!disk.exists(name)) {
      throw new CorruptStreamException(name, 0, "the copies of values are missing");
    }
    DiskFile file = disk.open(name);
    boolean good = false;
    try {
      byte[] header = header(strand, height);
      if (!Arrays.equals(header, StoredBytes.read(file, 0, HEADER_BYTES))) {
        throw new CorruptStreamException(name, 0, "the header is another");
      }
      long at = Math.max(0, file.size() - TRAILER_BYTES);
      byte[] found = StoredBytes.read(file, at, TRAILER_BYTES);
      ByteBuffer trailer = ByteBuffer.wrap(found);
      if (trailer.getInt() != checksum(header, at, found, TRAILER_BYTES)) {
        throw new CorruptStreamException(name, at, "checksum of the trailer is wrong");
      }
      long items = trailer.getLong();
      long tableAt = trailer.getLong();
      if (items < 0 || tableAt < HEADER_BYTES || at - tableAt != tableBytes(items)) {
        throw new CorruptStreamException(
            name,
            at,
            String.format(Locale.ROOT, "a table at %d of %d items does not fit", tableAt, items));
      }
      good = true;
      return new ValueCopies(file, header, items, tableAt);
    } finally {
      if (!good) {
        file.close();
      }
    }
  }

  private static long tableBytes(long items) {
    return Long.BYTES * Math.ceilDiv(items, ITEMS_PER_POSITION);
  }

  /// @param valueAt where opening and value begin
  private record Item(long jsn, Bytes key, int valueBytes, long valueAt) {
    int contentBytes() {
      return Digest.BYTES + valueBytes;
    }

    long end() {
      return valueAt + contentBytes();
    }
  }

  private Item item(long at) throws IOException, CorruptStreamException {
    int most = (int) Math.min(ITEM_HEAD_BYTES + StateEntry.KEY_BYTES_MAX, tableAt - at);
    if (at < HEADER_BYTES || most < ITEM_HEAD_BYTES) {
      throw new CorruptStreamException(file.name(), at, "no item begins there");
    }
    byte[] found = StoredBytes.read(file, at, most);
    ByteBuffer head = ByteBuffer.wrap(found);
    int crc = head.getInt();
    long jsn = head.getLong();
    int valueBytes = head.getInt();
    int headBytes = ITEM_HEAD_BYTES + Short.toUnsignedInt(head.getShort());
    if (headBytes > most || crc != checksum(header, at, found, headBytes)) {
      throw new CorruptStreamException(file.name(), at, "checksum of the item is wrong");
    }
    Bytes key = Bytes.copyOf(found, ITEM_HEAD_BYTES, headBytes - ITEM_HEAD_BYTES);
    if (valueBytes < 0 || valueBytes > tableAt - at - headBytes - Digest.BYTES) {
      throw new CorruptStreamException(
          file.name(),
          at,
          String.format(Locale.ROOT, "a value of %d bytes does not fit", valueBytes));
    }
    return new Item(jsn, key, valueBytes, at + headBytes);
  }

  private long position(long index) throws IOException, CorruptStreamException {
    return ByteBuffer.wrap(StoredBytes.read(file, tableAt + index * Long.BYTES, Long.BYTES))
        .getLong();
  }

  /// The copy of a key's value, compared with nothing yet; empty if there is none, or one of
  /// another journal. The table has no checksum: it only says where to begin. That there is none is
  /// said by the items that lie one behind the other around the key.
  Optional<StateValue> find(Bytes key, long jsn) throws IOException, CorruptStreamException {
    long low = 0; // the last of the table whose key is not above, once they meet
    long high = Math.ceilDiv(items, ITEMS_PER_POSITION) - 1;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (item(position(middle)).key.compareTo(key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    long at = low == 0 ? HEADER_BYTES : position(low);
    if (low > 0 && item(at).key.compareTo(key) > 0) {
      throw new CorruptStreamException(file.name(), at, "the table leads behind the key");
    }
    while (at < tableAt) {
      Item item = item(at);
      int order = item.key.compareTo(key);
      if (order == 0) {
        return item.jsn == jsn ? Optional.of(value(item)) : Optional.empty();
      }
      if (order > 0) {
        return Optional.empty();
      }
      at = item.end();
    }
    return Optional.empty();
  }

  private StateValue value(Item item) throws IOException, CorruptStreamException {
    byte[] content = StoredBytes.read(file, item.valueAt, item.contentBytes());
    return new StateValue(
        Digest.of(content, 0), Bytes.copyOf(content, Digest.BYTES, item.valueBytes));
  }

  /// Makes zeros of the values that some journals wrote. Forced on return.
  void erase(LongPredicate journals) throws IOException, CorruptStreamException {
    boolean erased = false;
    long at = HEADER_BYTES;
    for (long i = 0; i < items; i++) {
      Item item = item(at);
      if (journals.test(item.jsn)) {
        file.write(item.valueAt, ByteBuffer.allocate(item.contentBytes()));
        erased = true;
      }
      at = item.end();
    }
    if (erased) {
      file.force();
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
