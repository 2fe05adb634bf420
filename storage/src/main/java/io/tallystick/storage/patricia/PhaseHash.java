package io.tallystick.storage.patricia;

import io.tallystick.crypto.BatchHasher;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// PhaseHC: hashes every node of an edit once, in two phases. Mark: from each entry upwards, each
/// node of the edit is listed under its depth by the first worker that comes by. Compute: the
/// deepest level is encoded and hashed in bulk, then the one above it, up to the root.
///
/// Other than in the paper a node does not count the children that it waits for: a level waits for
/// the one below it as a whole, so that a level is one batch for a {@link BatchHasher}.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.2.
final class PhaseHash {
  private static final int SHARED_MIN = 64;

  private PhaseHash() {}

  static void hash(Edit edit, Workers workers, BatchHasher hasher)
      throws IOException, CorruptStreamException {
    mark(edit, workers);
    for (int depth = NodeLevels.DEPTHS - 1; depth >= 0; depth--) {
      Node[] level = level(edit.traces, depth);
      workers.run(
          level.length,
          SHARED_MIN,
          (worker, from, to) -> edit.traces[worker].hashing.hash(level, from, to, hasher));
    }
  }

  private static void mark(Edit edit, Workers workers) throws IOException, CorruptStreamException {
    List<Node> entries = new ArrayList<>();
    for (Trace trace : edit.traces) {
      entries.addAll(trace.entries);
    }
    workers.run(
        entries.size(),
        (worker, from, to) -> {
          NodeLevels levels = edit.traces[worker].levels;
          for (int i = from; i < to; i++) {
            if (isEntry(edit, entries.get(i))) {
              mark(entries.get(i), levels);
            }
          }
        });
  }

  /// Lists an entry and all nodes above it that are not listed yet.
  private static void mark(Node entry, NodeLevels levels) {
    int depth = entry instanceof Leaf leaf ? leaf.depth : depth(entry);
    levels.add(depth, entry);
    Inner node = parent(entry);
    while (!(node instanceof Anchor) && node.isFirstToMark()) {
      depth -= width(node);
      levels.add(depth, node);
      node = parent(node);
    }
  }

  /// Nibbles above a node: those of all nodes on its way down.
  private static int depth(Node entry) {
    int depth = 0;
    Inner node = parent(entry);
    while (!(node instanceof Anchor)) {
      depth += width(node);
      node = parent(node);
    }
    return depth;
  }

  private static int width(Inner node) {
    return node instanceof Extension extension ? extension.nibbles.length : 1;
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

  /// Whether the node is still in the trie and waits for no child.
  private static boolean isEntry(Edit edit, Node node) {
    Inner parent = parent(node);
    return switch (node) {
      case Leaf leaf -> parent.child(edit.indexBelow(parent, leaf.key, 0, leaf.depth - 1)) == leaf;
      case Extension extension ->
          !edit.owns(extension.onlyChild()) && parent.indexOf(extension) >= 0;
      case Branch _, Anchor _, StoredNode _ -> throw new AssertionError("no entry");
    };
  }

  /// The node above a node of an edit that is not hashed yet.
  static Inner parent(Node node) {
    Inner parent =
        switch (node) {
          case Leaf leaf -> leaf.parent;
          case Inner inner -> inner.parent;
          case StoredNode _ -> null;
        };
    if (parent == null) {
      throw new AssertionError("a node of an edit without a parent");
    }
    return parent;
  }
}
