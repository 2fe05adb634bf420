package io.tallystick.audit.replay;

import io.tallystick.crypto.Keccak256;
import org.jspecify.annotations.Nullable;

/// Encodes nodes as RLP (Ethereum Yellow Paper, appendices B to D) and hashes them. Holds buffers;
/// allocates nothing. Not thread-safe.
final class ReplayNodeHasher {
  private static final int STRING = 0x80;
  private static final int LIST = 0xc0;
  private static final int SHORT_MAX = 55;
  private static final int LEAF = 2;
  private static final int ODD = 1;
  private static final int HASH = ReplayNode.HASH_BYTES;

  /// The most bytes of the RLP head of a list of at most 16 hashes and an empty string.
  private static final int LIST_HEAD_BYTES_MAX = 3;

  private static final int BUFFER_BYTES = LIST_HEAD_BYTES_MAX + ReplayNode.RADIX * (1 + HASH) + 1;

  private final Keccak256 keccak = new Keccak256();
  private final ClueTree trees = new ClueTree();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final byte[] value = new byte[BUFFER_BYTES];
  private final byte[] hash = new byte[HASH];
  private byte[] out = buffer;
  private int length;

  /// @param depth how many nibbles of the key its parents stand for
  void leaf(ReplayNode.Clue clue, int depth) {
    begin(value);
    uint(clue.count);
    one(STRING + HASH);
    trees.root(clue, value, length);
    length += HASH;
    uint(clue.deletedJsn);
    int valueAt = endList();
    int valueBytes = length - valueAt;
    begin(buffer);
    path(clue.key, depth, ReplayNode.NIBBLES, LEAF);
    one(STRING + valueBytes); // 36 to 52 bytes
    System.arraycopy(value, valueAt, buffer, length, valueBytes);
    length += valueBytes;
    finish(clue);
  }

  /// A branch all of whose children are hashed, and the extension above it.
  ///
  /// @param depth how many nibbles of the key its parents stand for
  void branch(ReplayNode.Branch branch, int depth) {
    begin(buffer);
    for (int i = 0; i < ReplayNode.RADIX; i++) {
      child(branch.children[i]);
    }
    one(STRING);
    finish(branch);
    if (branch.depth > depth) {
      begin(buffer);
      path(branch.key, depth, branch.depth, 0);
      child(branch);
      finish(branch);
    }
  }

  private void child(@Nullable ReplayNode child) {
    if (child == null) {
      one(STRING);
      return;
    }
    if (!child.hashed()) {
      throw new AssertionError("children are hashed before their parent");
    }
    one(STRING + HASH);
    child.copyHash(buffer, length);
    length += HASH;
  }

  /// Hex-prefix encoding of the nibbles `[from, to)`.
  private void path(byte[] key, int from, int to, int flag) {
    int odd = (to - from) % 2;
    int bytes = 1 + (to - from) / 2;
    if (bytes > 1) {
      one(STRING + bytes); // a single one is below 0x80 and stands for itself
    }
    int at = from;
    one((flag + (odd == 1 ? ODD : 0)) << 4 | (odd == 1 ? ReplayNode.nibble(key, at++) : 0));
    for (; at < to; at += 2) {
      one(ReplayNode.nibble(key, at) << 4 | ReplayNode.nibble(key, at + 1));
    }
  }

  private void uint(long number) {
    if (number > 0 && number < STRING) {
      one((int) number);
      return;
    }
    int width = (Long.SIZE - Long.numberOfLeadingZeros(number) + 7) / 8;
    one(STRING + width);
    for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
      one((int) (number >>> shift));
    }
  }

  private void begin(byte[] target) {
    out = target;
    length = LIST_HEAD_BYTES_MAX;
  }

  private void one(int octet) {
    out[length++] = (byte) octet;
  }

  /// Puts the head before the items.
  ///
  /// @return where it begins
  private int endList() {
    int items = length - LIST_HEAD_BYTES_MAX;
    int at = LIST_HEAD_BYTES_MAX;
    if (items <= SHORT_MAX) {
      out[--at] = (byte) (LIST + items);
      return at;
    }
    int width = 0;
    for (int rest = items; rest > 0; rest >>>= 8) {
      out[--at] = (byte) rest;
      width++;
    }
    out[--at] = (byte) (LIST + SHORT_MAX + width);
    return at;
  }

  private void finish(ReplayNode node) {
    int at = endList();
    keccak.digest(out, at, length - at, hash, 0);
    node.setHash(hash, 0);
  }
}
