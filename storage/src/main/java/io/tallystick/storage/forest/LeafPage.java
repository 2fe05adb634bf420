package io.tallystick.storage.forest;

import io.tallystick.cbor.CborWriter;
import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

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
///
/// A leaf that took another's place may share that array with it: it has a short one beside, of the
/// entries that are new since, and says of each of its entries where it is.
final class LeafPage extends ForestPage {
  private static final int HEAD = 3;
  private static final int NARROW = 2;
  private static final int WIDE = 4;
  private static final int OVERHEAD_BYTES = 96; // of the page, its reference and its array

  /// With more bytes of entries beside the array a leaf gets one of its own.
  private static final int BESIDE_BYTES_MAX = 1 << 10;

  private static final byte[] NONE = {};

  private final byte[] bytes;
  private final byte[] beside;
  private final int @Nullable []
      places; // starts; ~ the start in `beside`; null if all is stored so
  private final int count;
  private final boolean wide;

  private LeafPage(byte[] bytes) {
    this.bytes = bytes;
    this.beside = NONE;
    this.places = null;
    this.count = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    this.wide = bytes[2] == WIDE;
  }

  private LeafPage(byte[] bytes, byte[] beside, int[] places) {
    this.bytes = bytes;
    this.beside = beside;
    this.places = places;
    this.count = places.length;
    this.wide = false;
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

  /// A leaf of entries of another one and of a batch, which shares the other's array.
  ///
  /// @param sources in key order: the entry's index in `old`, or ~ its index in the batch
  /// @return null if too many entries would lie beside the array
  static @Nullable LeafPage sharing(LeafPage old, EntryBatch batch, int[] sources) {
    int besideBytes = 0;
    for (int source : sources) {
      if (source < 0) {
        besideBytes += batch.entryBytes(~source);
      } else if (old.isBeside(source)) {
        besideBytes += old.entryBytes(source);
      }
    }
    if (besideBytes > BESIDE_BYTES_MAX) {
      return null;
    }
    byte[] beside = new byte[besideBytes];
    int[] places = new int[sources.length];
    int end = 0;
    for (int i = 0; i < sources.length; i++) {
      int source = sources[i];
      if (source >= 0 && !old.isBeside(source)) {
        places[i] = old.start(source);
        continue;
      }
      byte[] from = source < 0 ? batch.bytes() : old.beside;
      int start = source < 0 ? batch.start(~source) : old.start(source);
      int length = source < 0 ? batch.entryBytes(~source) : old.entryBytes(source);
      System.arraycopy(from, start, beside, end, length);
      places[i] = ~end;
      end += length;
    }
    return new LeafPage(old.bytes, beside, places);
  }

  private boolean isBeside(int index) {
    return places != null && places[index] < 0;
  }

  /// The array that has an entry.
  byte[] array(int index) {
    return isBeside(index) ? beside : bytes;
  }

  /// Where an entry begins in its {@link #array}.
  int start(int index) {
    if (places != null) {
      int place = places[index];
      return place < 0 ? ~place : place;
    }
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
    int start = start(index);
    if (places != null) {
      return EntryBytes.end(array(index), start) - start;
    }
    return (index + 1 == count ? bytes.length : start(index + 1)) - start;
  }

  Bytes key(int index) {
    return EntryBytes.key(array(index), start(index));
  }

  HeldEntry held(int index) {
    return EntryBytes.held(array(index), start(index));
  }

  boolean isPresent(int index) {
    return EntryBytes.isPresent(array(index), start(index));
  }

  /// The number of entries whose keys are below `key`.
  int countBelow(byte[] key) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (EntryBytes.compareKey(array(middle), start(middle), key) < 0) {
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
    return index < count && EntryBytes.compareKey(array(index), start(index), key) == 0
        ? index
        : -1;
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
    return bytes.length
        + beside.length
        + (places == null ? 0 : Integer.BYTES * count)
        + OVERHEAD_BYTES
        + keptBytes();
  }

  @Override
  void encodeRecord(int index, CborWriter out) {
    EntryBytes.encodeRecord(array(index), start(index), out);
  }

  /// A separator is the beginning of the key right of it, one byte longer than what it shares with
  /// the key left of it.
  @Override
  void encodeSeparators(CborWriter out) {
    int shared = sharedBySeparators();
    int last = count - 1;
    out.array(2).bytes(array(last), EntryBytes.keyStart(start(last)), shared).array(last);
    for (int i = 1; i < count; i++) {
      out.bytes(array(i), EntryBytes.keyStart(start(i)) + shared, separatorBytes(i) - shared);
    }
  }

  private int separatorBytes(int right) {
    return sharedPrefix(right - 1, right) + 1;
  }

  private int sharedPrefix(int left, int right) {
    return EntryBytes.sharedPrefix(array(left), start(left), array(right), start(right));
  }

  // Of ascending separators the first and the last share least.
  private int sharedBySeparators() {
    if (count == 1) {
      return 0;
    }
    int first = separatorBytes(1);
    int last = separatorBytes(count - 1);
    return count == 2 ? first : Math.min(Math.min(first, last), sharedPrefix(1, count - 1));
  }

  @Override
  Separators separators() {
    List<Bytes> values = new ArrayList<>(count - 1);
    for (int i = 1; i < count; i++) {
      values.add(Bytes.copyOf(array(i), EntryBytes.keyStart(start(i)), separatorBytes(i)));
    }
    return new Separators(values);
  }

  @Override
  byte[] image() {
    if (places == null) {
      return bytes;
    }
    int all = 0;
    for (int i = 0; i < count; i++) {
      all += entryBytes(i);
    }
    Builder stored = new Builder(count, all);
    for (int i = 0; i < count; i++) {
      stored.add(array(i), start(i), entryBytes(i));
    }
    return stored.bytes;
  }
}
