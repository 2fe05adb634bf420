package io.tallystick.storage.patricia;

import org.jspecify.annotations.Nullable;

/// What the root hangs on while an edit goes on, so that it can be replaced as any child.
final class Anchor extends Inner {
  Anchor(long epoch, @Nullable Node root) {
    super(epoch, new @Nullable Node[] {root});
  }

  @Nullable Node root() {
    return child(0);
  }
}
