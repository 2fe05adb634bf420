package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The changes that one worker made in an edit. Its thread's alone until the phase is over.
final class Trace {
  /// Branches of PhaseNU that took the place of a leaf or an extension.
  final List<Expanded> expanded = new ArrayList<>();

  /// Nodes to be hashed that this worker put into the trie. Some are {@link Node#dropped}.
  final NodeLevels levels = new NodeLevels();

  final LevelHashing hashing;

  private long[] freed = new long[16];
  private int freedCount;

  /// Keys that were not in the trie before.
  int added;

  /// Nodes that were read from their slots into the trie.
  int loaded;

  /// A branch, the node above it, which stays there, and the nibbles above it.
  record Expanded(BranchNode branch, Inner above, int depth) {}

  Trace(BatchHasher hasher) {
    this.hashing = new LevelHashing(hasher);
  }

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
    levels.clear();
    expanded.clear();
    freedCount = 0;
    added = 0;
    loaded = 0;
  }
}
