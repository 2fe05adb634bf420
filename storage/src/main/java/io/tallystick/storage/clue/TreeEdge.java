package io.tallystick.storage.clue;

import io.tallystick.crypto.Sha256;
import io.tallystick.model.Digest;
import java.security.MessageDigest;

/// Grows the frontier of a clue's tree and joins it to the root: RFC 9162 section 2.1.1 over the
/// 32-byte leaf hashes of the journals, each hashed as a leaf. Allocation-free. Not thread-safe:
/// its buffers are used again.
final class TreeEdge {
  private static final byte LEAF_PREFIX = 0;
  private static final byte NODE_PREFIX = 1;
  private static final int LEFT_AT = 1;
  private static final int RIGHT_AT = LEFT_AT + Digest.BYTES;

  private final MessageDigest sha256 = Sha256.newDigest();
  private final byte[] leaf = new byte[1 + Digest.BYTES];
  private final byte[] node = new byte[1 + 2 * Digest.BYTES]; // the right child is the one at hand

  TreeEdge() {
    leaf[0] = LEAF_PREFIX;
    node[0] = NODE_PREFIX;
  }

  /// Begins with a leaf.
  void leaf(byte[] data, int offset) {
    System.arraycopy(data, offset, leaf, 1, Digest.BYTES);
    sha256.update(leaf, 0, leaf.length);
    Sha256.finish(sha256, node, RIGHT_AT);
  }

  /// Joins the frontier's node of `level` to the hash at hand, which is right of it.
  void join(byte[] head, int level) {
    System.arraycopy(head, HeadBytes.frontierAt(level), node, LEFT_AT, Digest.BYTES);
    sha256.update(node, 0, node.length);
    Sha256.finish(sha256, node, RIGHT_AT);
  }

  /// Puts the hash at hand into the frontier.
  void keep(byte[] head, int level) {
    copyInto(head, HeadBytes.frontierAt(level));
  }

  void copyInto(byte[] target, int offset) {
    System.arraycopy(node, RIGHT_AT, target, offset, Digest.BYTES);
  }

  /// The hash at hand.
  Digest hash() {
    return Digest.of(node, RIGHT_AT);
  }

  /// The root of the tree whose frontier this is.
  Digest root(byte[] head) {
    long bits = HeadBytes.count(head);
    int lowest = Long.numberOfTrailingZeros(bits);
    System.arraycopy(head, HeadBytes.frontierAt(lowest), node, RIGHT_AT, Digest.BYTES);
    for (bits &= bits - 1; bits != 0; bits &= bits - 1) {
      join(head, Long.numberOfTrailingZeros(bits));
    }
    return hash();
  }
}
