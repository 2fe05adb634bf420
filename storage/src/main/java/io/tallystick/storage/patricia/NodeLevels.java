package io.tallystick.storage.patricia;

import java.util.Arrays;

/// Nodes that one worker listed to be hashed, by their depth in nibbles. A node's children are
/// deeper than it is. Its thread's alone until the phase is over.
final class NodeLevels {
  /// The root is at depth 0; a leaf may have all nibbles of its key above it.
  static final int DEPTHS = Nibbles.KEY_NIBBLES + 1;

  private static final int CAPACITY_MIN = 16;
  private static final int KEPT_MAX = 1 << 14;
  private static final Node[] NONE = {};

  private final Node[][] nodes = new Node[DEPTHS][];
  private final int[] counts = new int[DEPTHS];

  NodeLevels() {
    Arrays.fill(nodes, NONE);
  }

  void add(int depth, Node node) {
    Node[] level = nodes[depth];
    if (counts[depth] == level.length) {
      level = Arrays.copyOf(level, Math.max(CAPACITY_MIN, 2 * level.length));
      nodes[depth] = level;
    }
    level[counts[depth]++] = node;
  }

  int count(int depth) {
    return counts[depth];
  }

  void copyTo(int depth, Node[] target, int at) {
    System.arraycopy(nodes[depth], 0, target, at, counts[depth]);
  }

  /// Forgets all nodes, so that no old version of the trie stays reachable; of the memory of a
  /// large level nothing is kept.
  void clear() {
    for (int depth = 0; depth < DEPTHS; depth++) {
      if (nodes[depth].length > KEPT_MAX) {
        nodes[depth] = NONE;
      } else {
        Arrays.fill(nodes[depth], 0, counts[depth], null);
      }
    }
    Arrays.fill(counts, 0);
  }
}
