package io.tallystick.audit.replay;

import io.tallystick.hashing.BatchHasher;

/// A clue's own tree (RFC 9162 over its journals' leaf hashes, each hashed as a leaf), as far as
/// going on and its root need it. Holds buffers; not thread-safe.
final class ClueTree {
  private static final int HASH = ReplayNode.HASH_BYTES;

  private final BatchHasher hasher = BatchHasher.cpu();
  private final byte[] pair = new byte[2 * HASH];

  /// @param hashes holds SHA-256(0x00 ‖ leaf hash) of the journal at `offset`
  void append(ReplayNode.Clue clue, byte[] hashes, int offset) {
    clue.makeRoom();
    byte[] stack = clue.subtrees;
    int depth = Long.bitCount(clue.count);
    System.arraycopy(hashes, offset, stack, depth * HASH, HASH);
    for (int joins = Long.numberOfTrailingZeros(~clue.count); joins > 0; joins--) {
      depth--;
      hasher.parents(stack, depth * HASH, 1, stack, depth * HASH);
    }
    clue.count++;
  }

  /// Writes the root of a tree that is not empty.
  void root(ReplayNode.Clue clue, byte[] target, int offset) {
    int last = (Long.bitCount(clue.count) - 1) * HASH;
    System.arraycopy(clue.subtrees, last, pair, HASH, HASH);
    for (int left = last - HASH; left >= 0; left -= HASH) {
      System.arraycopy(clue.subtrees, left, pair, 0, HASH);
      hasher.parents(pair, 0, 1, pair, 0);
      System.arraycopy(pair, 0, pair, HASH, HASH);
    }
    System.arraycopy(pair, HASH, target, offset, HASH);
  }
}
