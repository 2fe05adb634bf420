package io.tallystick.storage.patricia;

import org.jspecify.annotations.Nullable;

/// Nibbles that all keys below share; its child is a branch.
final class ExtensionNode extends Inner {
  /// One nibble a byte, 1 to 63 of them.
  final byte[] nibbles;

  ExtensionNode(long epoch, byte[] nibbles, Node child) {
    super(epoch, new @Nullable Node[] {child});
    this.nibbles = nibbles;
  }

  /// How many of its nibbles the key has from `depth` on.
  int matching(byte[] keys, int keyOffset, int depth) {
    int count = 0;
    while (count < nibbles.length && nibbles[count] == Nibbles.at(keys, keyOffset, depth + count)) {
      count++;
    }
    return count;
  }

  Node onlyChild() {
    Node child = child(0);
    if (child == null) {
      throw new AssertionError("an extension without a child");
    }
    return child;
  }
}
