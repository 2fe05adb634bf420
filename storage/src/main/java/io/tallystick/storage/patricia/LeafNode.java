package io.tallystick.storage.patricia;

import java.util.Arrays;

/// A key and its value. Its RLP names only the nibbles behind `depth`.
final class LeafNode extends Node {
  final byte[] key;
  final byte[] value;

  /// Nibbles of the key above it.
  final byte depth;

  /// Whether its edit gave it its value; or else only its place.
  final boolean set;

  LeafNode(long epoch, byte[] key, byte[] value, int depth, boolean set) {
    super(epoch);
    this.key = key;
    this.value = value;
    this.depth = (byte) depth;
    this.set = set;
  }

  boolean hasKey(byte[] keys, int offset) {
    return Arrays.equals(key, 0, Nibbles.KEY_BYTES, keys, offset, offset + Nibbles.KEY_BYTES);
  }
}
