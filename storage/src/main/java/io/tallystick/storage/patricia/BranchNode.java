package io.tallystick.storage.patricia;

import org.jspecify.annotations.Nullable;

/// A node of up to 16 children, by their next nibble; at least two once it is published. It has no
/// value: all keys are of one length.
final class BranchNode extends Inner {
  static final int WIDTH = 16;

  /// Its RLP, or its original's while the edit that copied it goes on; null before it has any.
  /// Hashes of children that did not change are taken from it, so that those, which lie anywhere in
  /// memory, are not looked at. Not written to.
  byte @Nullable [] rlp;

  BranchNode(long epoch) {
    super(epoch, new @Nullable Node[WIDTH]);
  }

  /// Its copy for an edit to change.
  BranchNode(long epoch, BranchNode old) {
    super(epoch, old.children.clone());
    rlp = old.rlp;
  }

  int childCount() {
    int count = 0;
    for (int i = 0; i < WIDTH; i++) {
      if (child(i) != null) {
        count++;
      }
    }
    return count;
  }

  /// The nibble of its first child.
  int firstChild() {
    for (int i = 0; i < WIDTH; i++) {
      if (child(i) != null) {
        return i;
      }
    }
    throw new AssertionError("a branch without children");
  }
}
