package io.tallystick.tile;

import io.tallystick.model.Bytes;
import java.util.Objects;

/// The items of one bundle, where they lie in it: no object for each.
public final class TileItems {
  private final byte[] bytes;
  private final int[] starts;
  private final int[] ends;

  /// All are the new object's from now on.
  TileItems(byte[] bytes, int[] starts, int[] ends) {
    this.bytes = bytes;
    this.starts = starts;
    this.ends = ends;
  }

  public int count() {
    return starts.length;
  }

  public Bytes item(int index) {
    return Bytes.copyOf(bytes, start(index), size(index));
  }

  /// Where an item begins in {@link #bytes}.
  public int start(int index) {
    return starts[Objects.checkIndex(index, starts.length)];
  }

  /// In bytes.
  public int size(int index) {
    return ends[index] - start(index);
  }

  /// The whole bundle; not to be written to.
  public byte[] bytes() {
    return bytes;
  }
}
