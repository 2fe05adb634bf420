package io.tallystick.tile;

import io.tallystick.model.Bytes;
import java.util.Arrays;

/// Writes items of one bundle, or of a piece of one, each behind its length. Not thread-safe.
public final class BundleWriter {
  private static final int BITS = Byte.SIZE;

  private final TileBundle kind;
  private byte[] bytes;
  private int length;
  private int items;

  /// @param capacity bytes there is room for at first
  public BundleWriter(TileBundle kind, int capacity) {
    this.kind = kind;
    this.bytes = new byte[capacity];
  }

  /// Bytes written so far.
  public int length() {
    return length;
  }

  /// An item of no bytes.
  public void empty() {
    item(bytes, 0, 0);
  }

  public void item(Bytes item) {
    item(item.unsafeArray(), 0, item.size());
  }

  /// @throws IllegalArgumentException if the item is too long, or one more than a file has
  public void item(byte[] array, int offset, int count) {
    if (count > kind.itemBytesMax()) {
      throw new IllegalArgumentException(count + " bytes, at most " + kind.itemBytesMax());
    }
    if (items == TilePath.WIDTH) {
      throw new IllegalArgumentException("more than " + TilePath.WIDTH + " items");
    }
    ensure(kind.lengthBytes() + count);
    for (int shift = (kind.lengthBytes() - 1) * BITS; shift >= 0; shift -= BITS) {
      bytes[length++] = (byte) (count >>> shift);
    }
    System.arraycopy(array, offset, bytes, length, count);
    length += count;
    items++;
  }

  private void ensure(int more) {
    int needed = Math.addExact(length, more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
  }

  /// The bytes that were written. The writer is spent afterwards.
  public Bytes finish() {
    return Bytes.wrap(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
  }
}
