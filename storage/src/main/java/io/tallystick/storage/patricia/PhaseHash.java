package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// PhaseHC: hashes every node of an edit once, in two phases. Mark: from each entry upwards, each
/// node counts the children it has to wait for. Compute: from each entry upwards again, a node is
/// hashed by whoever hashed the last of them.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.2.
final class PhaseHash {
  private PhaseHash() {}

  static void hash(Edit edit, Workers workers) throws IOException, CorruptStreamException {
    List<Node> entries = new ArrayList<>();
    for (Trace trace : edit.traces) {
      entries.addAll(trace.entries);
    }
    Node[] live = new Node[entries.size()];
    workers.run(
        live.length,
        (_, from, to) -> {
          for (int i = from; i < to; i++) {
            Node entry = entries.get(i);
            if (isEntry(edit, entry)) {
              live[i] = entry;
              mark(parent(entry));
            }
          }
        });
    workers.run(
        live.length,
        (worker, from, to) -> {
          NodeEncoder encoder = edit.traces[worker].encoder;
          for (int i = from; i < to; i++) {
            if (live[i] != null) {
              compute(live[i], encoder);
            }
          }
        });
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

  private static Inner parent(Node node) {
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

  private static void mark(Inner from) {
    Inner node = from;
    while (!(node instanceof Anchor) && node.awaitOne()) {
      node = parent(node);
    }
  }

  private static void compute(Node entry, NodeEncoder encoder) {
    encoder.hash(entry);
    Inner node = leave(entry);
    while (!(node instanceof Anchor) && node.oneDone()) {
      encoder.hash(node);
      node = leave(node);
    }
  }

  /// The node above; a published node must not hold on to it.
  private static Inner leave(Node node) {
    Inner parent = parent(node);
    switch (node) {
      case Leaf leaf -> leaf.parent = null;
      case Inner inner -> inner.parent = null;
      case StoredNode _ -> {}
    }
    return parent;
  }
}
