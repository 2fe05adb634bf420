package io.tallystick.storage.patricia;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// PhaseHC: hashes every node of an edit once. The workers of the update have listed each node that
/// they put into the trie under its depth. The deepest level is encoded and hashed in bulk, then
/// the one above it, up to the root.
///
/// Other than in the paper a node does not count the children that it waits for: a level waits for
/// the one below it as a whole, so that a level is one batch for a {@link BatchHasher}.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.2.
final class PhaseHash {
  private static final int SHARED_MIN = 64;

  private PhaseHash() {}

  static void hash(Edit edit, Workers workers) throws IOException, CorruptStreamException {
    for (int depth = NodeLevels.DEPTHS - 1; depth >= 0; depth--) {
      Node[] level = level(edit.traces, depth);
      if (level.length > 0) {
        workers.run(
            level.length,
            SHARED_MIN,
            (worker, from, to) -> edit.traces[worker].hashing.hash(level, from, to));
      }
    }
  }

  private static Node[] level(Trace[] traces, int depth) {
    int count = 0;
    for (Trace trace : traces) {
      count += trace.levels.count(depth);
    }
    Node[] level = new Node[count];
    int at = 0;
    for (Trace trace : traces) {
      trace.levels.copyTo(depth, level, at);
      at += trace.levels.count(depth);
    }
    return level;
  }
}
