package io.tallystick.storage.patricia;

import org.jspecify.annotations.Nullable;

/// A node of up to 16 children, by their next nibble; at least two once it is published. It has no
/// value: all keys are of one length.
final class Branch extends Inner {
  static final int WIDTH = 16;

  Branch(long epoch, @Nullable Inner parent) {
    super(epoch, parent, new @Nullable Node[WIDTH]);
  }

  /// Its copy for an edit to change.
  Branch(long epoch, Inner parent, Branch old) {
    super(epoch, parent, old.children.clone());
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
