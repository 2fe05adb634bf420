package io.tallystick.tile;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import java.util.List;
import java.util.Locale;

/// Byte strings in one file, each behind its length, big-endian. How long a length is, and what it
/// may say, is the kind's. Source: C2SP tlog-tiles, "Log entries".
public enum TileBundle {
  /// Leaves, behind a u16.
  ENTRIES(2, 16 << 10),
  /// Entries of a log that need not be a ledger's: as long as a u16 can say.
  ANY_ENTRIES(2, (1 << 16) - 1),
  /// Attestations, behind a u32; empty where the leaf has none of its own.
  ATTESTATIONS(4, 64 << 10),
  /// Operations as {@link io.tallystick.journal.Ops} encodes them, behind a u32; empty where there
  /// are none.
  OPS(4, (1 << 20) + (64 << 10)),
  /// Salt and body, behind a u32; empty where there is none, or none any more.
  BODIES(4, 32 + (1 << 20) + (64 << 10));

  private static final int BITS = Byte.SIZE;

  private final int lengthBytes;
  private final int itemBytesMax;

  TileBundle(int lengthBytes, int itemBytesMax) {
    this.lengthBytes = lengthBytes;
    this.itemBytesMax = itemBytesMax;
  }

  /// An item of {@link #BODIES}: the salt, then the body.
  public static Bytes body(Bytes salt, Bytes body) {
    byte[] both = new byte[salt.size() + body.size()];
    salt.copyInto(both, 0);
    body.copyInto(both, salt.size());
    return Bytes.wrap(both);
  }

  /// No file of this kind is longer.
  public int bytesMax() {
    return TilePath.WIDTH * (lengthBytes + itemBytesMax);
  }

  /// The bytes of the length before each item.
  public int lengthBytes() {
    return lengthBytes;
  }

  int itemBytesMax() {
    return itemBytesMax;
  }

  /// @throws IllegalArgumentException if there are more items than a file has, or one is too long
  public Bytes encode(List<Bytes> items) {
    int length = 0;
    for (Bytes item : items) {
      length += lengthBytes + item.size();
    }
    BundleWriter file = new BundleWriter(this, length);
    items.forEach(file::item);
    return file.finish();
  }

  /// @throws MalformedException if these are not exactly `count` items within the kind's bounds
  public TileItems decode(Bytes file, int count) throws MalformedException {
    byte[] bytes = file.unsafeArray();
    int[] starts = new int[count];
    int[] ends = new int[count];
    int at = 0;
    for (int i = 0; i < count; i++) {
      if (bytes.length - at < lengthBytes) {
        throw new MalformedException("breaks off before item " + i + " of " + count);
      }
      long length = 0;
      for (int end = at + lengthBytes; at < end; at++) {
        length = length << BITS | (bytes[at] & 0xff);
      }
      if (length > itemBytesMax || length > bytes.length - at) {
        throw new MalformedException(
            String.format(
                Locale.ROOT,
                "item %d of %d bytes, at most %d and %d are left",
                i,
                length,
                itemBytesMax,
                bytes.length - at));
      }
      starts[i] = at;
      at += (int) length;
      ends[i] = at;
    }
    if (at < bytes.length) {
      throw new MalformedException(
          String.format(
              Locale.ROOT, "%d bytes behind the last of %d items", bytes.length - at, count));
    }
    return new TileItems(bytes, starts, ends);
  }
}
