package io.tallystick.merkle.patricia;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;

/// Nibbles with a mark that tells a leaf from an extension, in hex-prefix encoding (Ethereum Yellow
/// Paper, appendix C): the high nibble of the first byte is 2 for a leaf, plus 1 if the count is
/// odd; then its low nibble is the first of them, else 0.
///
/// @param nibbles one in a byte, each 0 to 15
record HexPrefix(Bytes nibbles, boolean leaf) {
  static final int NIBBLES_MAX = 64;
  static final int BYTES_MAX = 1 + NIBBLES_MAX / 2;

  private static final int LEAF = 2;
  private static final int ODD = 1;

  HexPrefix {
    if (nibbles.size() > NIBBLES_MAX) {
      throw new IllegalArgumentException(nibbles.size() + " nibbles, at most " + NIBBLES_MAX);
    }
    for (byte nibble : nibbles.unsafeArray()) {
      if (nibble < 0 || nibble > 15) {
        throw new IllegalArgumentException("nibble " + nibble);
      }
    }
  }

  int count() {
    return nibbles.size();
  }

  /// Whether a key goes on with these nibbles behind its first `depth`.
  boolean matches(byte[] key, int depth) {
    if (count() > 2 * key.length - depth) {
      return false;
    }
    for (int i = 0; i < count(); i++) {
      if (nibbles.unsafeArray()[i] != nibble(key, depth + i)) {
        return false;
      }
    }
    return true;
  }

  static int nibble(byte[] key, int index) {
    int both = key[index / 2] & 0xff;
    return index % 2 == 0 ? both >>> 4 : both & 15;
  }

  Bytes encode() {
    int odd = count() % 2;
    byte[] encoded = new byte[1 + count() / 2];
    encoded[0] = (byte) (((leaf ? LEAF : 0) + odd) << 4);
    for (int i = 0; i < count(); i++) {
      int place = i + 2 - odd;
      encoded[place / 2] |= (byte) (nibbles.unsafeArray()[i] << (place % 2 == 0 ? 4 : 0));
    }
    return Bytes.wrap(encoded);
  }

  static HexPrefix decode(Bytes encoded) throws MalformedException {
    byte[] bytes = encoded.unsafeArray();
    if (bytes.length == 0 || bytes.length > BYTES_MAX) {
      throw new MalformedException("nibbles in " + bytes.length + " bytes");
    }
    int flag = nibble(bytes, 0);
    int odd = flag & ODD;
    if (flag > LEAF + ODD || (odd == 0 && nibble(bytes, 1) != 0)) {
      throw new MalformedException("nibbles begin with " + flag + " and " + nibble(bytes, 1));
    }
    byte[] nibbles = new byte[2 * bytes.length - 2 + odd];
    if (nibbles.length > NIBBLES_MAX) {
      throw new MalformedException(nibbles.length + " nibbles, at most " + NIBBLES_MAX);
    }
    for (int i = 0; i < nibbles.length; i++) {
      nibbles[i] = (byte) nibble(bytes, i + 2 - odd);
    }
    return new HexPrefix(Bytes.wrap(nibbles), (flag & LEAF) != 0);
  }
}
