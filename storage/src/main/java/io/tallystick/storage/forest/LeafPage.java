package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A leaf: one array with its entries in key order and a table of where they begin. It is stored as
/// it is.
///
/// ```
///  0           2            3
///  +-----------+------------+------------------------------+---------+
///  | count u16 | width (u8) | start of each entry, in bytes | entries |
///  +-----------+------------+------------------------------+---------+
///  width: bytes of a start, 2 or 4; a start counts from the first byte of the page
/// ```
final class LeafPage extends ForestPage {
  private static final int HEAD = 3;
  private static final int NARROW = 2;
  private static final int WIDE = 4;
  private static final int OVERHEAD_BYTES = 96; // of the page, its reference and its array

  private final byte[] bytes;
  private final int count;
  private final boolean wide;

  private LeafPage(byte[] bytes) {
    this.bytes = bytes;
    this.count = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    this.wide = bytes[2] == WIDE;
  }

  /// Where entries are put one after the other.
  static final class Builder {
    private final byte[] bytes;
    private final boolean wide;
    private int index;
    private int end;

    /// @param entriesBytes of all entries together
    Builder(int count, int entriesBytes) {
      wide = HEAD + NARROW * count + entriesBytes > 0xffff;
      end = HEAD + (wide ? WIDE : NARROW) * count;
      bytes = new byte[end + entriesBytes];
      bytes[0] = (byte) (count >> 8);
      bytes[1] = (byte) count;
      bytes[2] = (byte) (wide ? WIDE : NARROW);
    }

    void add(byte[] from, int start, int length) {
      int at = HEAD + index * (wide ? WIDE : NARROW);
      if (wide) {
        bytes[at++] = (byte) (end >> 24);
        bytes[at++] = (byte) (end >> 16);
      }
      bytes[at] = (byte) (end >> 8);
      bytes[at + 1] = (byte) end;
      System.arraycopy(from, start, bytes, end, length);
      end += length;
      index++;
    }

    LeafPage page() {
      return new LeafPage(bytes);
    }
  }

  /// A leaf as it was stored.
  static LeafPage of(byte[] image) throws MalformedException {
    try {
      LeafPage page = new LeafPage(image);
      page.check();
      return page;
    } catch (IndexOutOfBoundsException e) {
      throw new MalformedException("the leaf's entries go on behind its end", e);
    }
  }

  private void check() throws MalformedException {
    int at = HEAD + count * (wide ? WIDE : NARROW);
    if (count == 0 || (bytes[2] != WIDE && bytes[2] != NARROW)) {
      throw new MalformedException("leaf of " + count + " entries, starts of " + bytes[2]);
    }
    for (int i = 0; i < count; i++) {
      if (start(i) != at) {
        throw new MalformedException(
            String.format(Locale.ROOT, "entry %d begins at %d, want %d", i, start(i), at));
      }
      at = EntryBytes.end(bytes, at);
    }
    if (at != bytes.length) {
      throw new MalformedException(
          String.format(Locale.ROOT, "leaf of %d bytes, want %d", bytes.length, at));
    }
  }

  byte[] array() {
    return bytes;
  }

  /// Where an entry begins in {@link #array}.
  int start(int index) {
    if (wide) {
      int at = HEAD + WIDE * index;
      return (bytes[at] & 0xff) << 24
          | (bytes[at + 1] & 0xff) << 16
          | (bytes[at + 2] & 0xff) << 8
          | (bytes[at + 3] & 0xff);
    }
    int at = HEAD + NARROW * index;
    return (bytes[at] & 0xff) << 8 | (bytes[at + 1] & 0xff);
  }

  int entryBytes(int index) {
    return (index + 1 == count ? bytes.length : start(index + 1)) - start(index);
  }

  Bytes key(int index) {
    return EntryBytes.key(bytes, start(index));
  }

  HeldEntry held(int index) {
    return EntryBytes.held(bytes, start(index));
  }

  boolean isPresent(int index) {
    return EntryBytes.isPresent(bytes, start(index));
  }

  /// The number of entries whose keys are below `key`.
  int countBelow(byte[] key) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (EntryBytes.compareKey(bytes, start(middle), key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// The index of the entry of a key; −1 if there is none.
  int indexOf(byte[] key) {
    int index = countBelow(key);
    return index < count && EntryBytes.compareKey(bytes, start(index), key) == 0 ? index : -1;
  }

  @Override
  int level() {
    return 0;
  }

  @Override
  int count() {
    return count;
  }

  @Override
  long entryCount() {
    return count;
  }

  @Override
  int bytes() {
    return bytes.length + OVERHEAD_BYTES + keptBytes();
  }

  @Override
  void encodeRecord(int index, CborWriter out) {
    EntryBytes.encodeRecord(bytes, start(index), out);
  }

  /// A separator is the beginning of the key right of it, one byte longer than what it shares with
  /// the key left of it.
  @Override
  void encodeSeparators(CborWriter out) {
    int shared = sharedBySeparators();
    out.array(2).bytes(bytes, EntryBytes.keyStart(start(count - 1)), shared).array(count - 1);
    for (int i = 1; i < count; i++) {
      out.bytes(bytes, EntryBytes.keyStart(start(i)) + shared, separatorBytes(i) - shared);
    }
  }

  private int separatorBytes(int right) {
    return EntryBytes.sharedPrefix(bytes, start(right - 1), bytes, start(right)) + 1;
  }

  // Of ascending separators the first and the last share least.
  private int sharedBySeparators() {
    if (count == 1) {
      return 0;
    }
    int first = separatorBytes(1);
    int last = separatorBytes(count - 1);
    return count == 2
        ? first
        : Math.min(
            Math.min(first, last),
            EntryBytes.sharedPrefix(bytes, start(1), bytes, start(count - 1)));
  }

  @Override
  Separators separators() {
    List<Bytes> values = new ArrayList<>(count - 1);
    for (int i = 1; i < count; i++) {
      values.add(Bytes.copyOf(bytes, EntryBytes.keyStart(start(i)), separatorBytes(i)));
    }
    return new Separators(values);
  }

  @Override
  byte[] image() {
    return bytes;
  }
}
