package io.tallystick.storage.patricia;

/// Half bytes of keys, the high one of each byte first.
final class Nibbles {
  static final int KEY_BYTES = 32;
  static final int KEY_NIBBLES = 2 * KEY_BYTES;

  private Nibbles() {}

  /// Nibble `depth` of the key at `offset`.
  static int at(byte[] keys, int offset, int depth) {
    int two = keys[offset + (depth >> 1)];
    return (depth & 1) == 0 ? (two >> 4) & 0xf : two & 0xf;
  }

  /// How many nibbles two keys share from `depth` on.
  static int shared(byte[] key, byte[] keys, int offset, int depth) {
    int at = depth;
    while (at < KEY_NIBBLES && at(key, 0, at) == at(keys, offset, at)) {
      at++;
    }
    return at - depth;
  }

  /// `count` nibbles of a key from `depth` on, one a byte.
  static byte[] of(byte[] key, int depth, int count) {
    byte[] nibbles = new byte[count];
    for (int i = 0; i < count; i++) {
      nibbles[i] = (byte) at(key, 0, depth + i);
    }
    return nibbles;
  }
}
