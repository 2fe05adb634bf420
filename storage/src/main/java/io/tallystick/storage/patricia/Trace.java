package io.tallystick.storage.patricia;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What one worker did in an edit. Its thread's alone until the phase is over.
final class Trace {
  /// Nodes that may be hashed without waiting for a child: leaves, and extensions whose child is of
  /// an earlier edit. Some are in the trie no more.
  final List<Node> entries = new ArrayList<>();

  /// Branches that took the place of a leaf or an extension.
  final List<Branch> expanded = new ArrayList<>();

  /// Nodes to be hashed, as far as this worker listed them.
  final NodeLevels levels = new NodeLevels();

  final LevelHashing hashing = new LevelHashing();

  private long[] freed = new long[16];
  private int freedCount;

  /// Keys that were not in the trie before.
  int added;

  /// Nodes that were read from their slots into the trie.
  int loaded;

  /// A node of an earlier edit was replaced.
  void replaced(Node old) {
    if (old.address != Node.UNSAVED) {
      if (freedCount == freed.length) {
        freed = Arrays.copyOf(freed, 2 * freedCount);
      }
      freed[freedCount++] = old.address;
    }
  }

  /// The slots that the new trie does without.
  long[] freed() {
    return Arrays.copyOf(freed, freedCount);
  }

  void clear() {
    entries.clear();
    levels.clear();
    expanded.clear();
    freedCount = 0;
    added = 0;
    loaded = 0;
  }
}
