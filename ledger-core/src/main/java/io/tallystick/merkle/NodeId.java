package io.tallystick.merkle;

/// The place of a complete subtree: level L, index i covers the leaves [i·2^L, (i+1)·2^L). Level 0
/// is the leaves. It depends on no tree size, so its hash never changes once the leaves exist.
public record NodeId(int level, long index) {
  public NodeId {
    if (level < 0 || level > TreeGeometry.LEVEL_MAX) {
      throw new IllegalArgumentException(
          "level " + level + " of at most " + TreeGeometry.LEVEL_MAX);
    }
    if (index < 0 || index >= TreeGeometry.SIZE_MAX >> level) {
      throw new IllegalArgumentException("index " + index + " at level " + level);
    }
  }

  /// The first leaf below this node.
  public long firstLeaf() {
    return index << level;
  }

  /// One past the last leaf below this node.
  public long endLeaf() {
    return (index + 1) << level;
  }
}
