package io.tallystick.storage.patricia;

import org.jspecify.annotations.Nullable;

/// A parent of the root while an edit goes on, so that the root can be replaced as any child.
final class RootHolder extends Inner {
  RootHolder(long epoch, @Nullable Node root) {
    super(epoch, new @Nullable Node[] {root});
  }

  @Nullable Node root() {
    return child(0);
  }
}
