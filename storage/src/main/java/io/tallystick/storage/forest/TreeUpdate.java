package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.Separators;
import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Puts a block's entries into a partition's tree, once: each entry goes to the leaf that its slots
/// lead to, then nodes that have too many records are cut, from the leaves up. Source:
/// `docs/formats/forest.md`, "Shape".
final class TreeUpdate {
  private final int leafMax;
  private final int innerMax;
  private final Consumer<ForestNode> replaced;

  /// Nodes that take the place of one, and the separators between them.
  private record Pieces(List<ForestNode> nodes, List<Bytes> cuts) {}

  /// @param replaced hears of each node that is no longer part of the tree
  TreeUpdate(int leafMax, int innerMax, Consumer<ForestNode> replaced) {
    this.leafMax = leafMax;
    this.innerMax = innerMax;
    this.replaced = replaced;
  }

  /// @param root null for the empty tree
  /// @param added at least one, ascending by key
  /// @return the root of the tree with them
  ForestNode apply(@Nullable ForestNode root, List<HeldEntry> added) {
    Pieces pieces = root == null ? cutLeaves(added) : insert(root, added);
    int level = 0;
    while (pieces.nodes.size() > 1) {
      level = pieces.nodes.getFirst().level() + 1;
      pieces = cutInner(level, pieces.nodes, pieces.cuts);
    }
    return pieces.nodes.getFirst();
  }

  private Pieces insert(ForestNode node, List<HeldEntry> added) {
    replaced.accept(node);
    return switch (node) {
      case ForestNode.Leaf leaf -> cutLeaves(merged(leaf.entries(), added));
      case ForestNode.Inner inner -> insert(inner, added);
    };
  }

  private Pieces insert(ForestNode.Inner inner, List<HeldEntry> added) {
    List<Bytes> old = inner.separators().values();
    List<ForestNode> children = new ArrayList<>();
    List<Bytes> separators = new ArrayList<>();
    int from = 0;
    for (int slot = 0; slot < inner.children().size(); slot++) {
      int to = slot == old.size() ? added.size() : end(added, from, old.get(slot));
      ForestNode child = inner.children().get(slot);
      if (slot > 0) {
        separators.add(old.get(slot - 1));
      }
      if (from == to) {
        children.add(child);
      } else {
        Pieces pieces = insert(child, added.subList(from, to));
        children.addAll(pieces.nodes);
        separators.addAll(pieces.cuts);
      }
      from = to;
    }
    return cutInner(inner.level(), children, separators);
  }

  /// The index of the first entry from `from` on whose key is at least `separator`.
  private static int end(List<HeldEntry> added, int from, Bytes separator) {
    int low = from;
    int high = added.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (added.get(middle).key().compareTo(separator) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Both in order; of a key that is in both, the added entry.
  private static List<HeldEntry> merged(List<HeldEntry> old, List<HeldEntry> added) {
    List<HeldEntry> all = new ArrayList<>(old.size() + added.size());
    int i = 0;
    int k = 0;
    while (i < old.size() && k < added.size()) {
      int order = old.get(i).key().compareTo(added.get(k).key());
      if (order < 0) {
        all.add(old.get(i++));
      } else {
        all.add(added.get(k++));
        i += order == 0 ? 1 : 0;
      }
    }
    all.addAll(old.subList(i, old.size()));
    all.addAll(added.subList(k, added.size()));
    return all;
  }

  private Pieces cutLeaves(List<HeldEntry> entries) {
    List<ForestNode> nodes = new ArrayList<>();
    List<Bytes> cuts = new ArrayList<>();
    int from = 0;
    for (int piece = 0, count = pieces(entries.size(), leafMax); piece < count; piece++) {
      int to = from + pieceSize(entries.size(), count, piece);
      if (from > 0) {
        cuts.add(Separators.shortest(entries.get(from - 1).key(), entries.get(from).key()));
      }
      nodes.add(new ForestNode.Leaf(entries.subList(from, to)));
      from = to;
    }
    return new Pieces(nodes, cuts);
  }

  private Pieces cutInner(int level, List<ForestNode> children, List<Bytes> separators) {
    List<ForestNode> nodes = new ArrayList<>();
    List<Bytes> cuts = new ArrayList<>();
    int from = 0;
    for (int piece = 0, count = pieces(children.size(), innerMax); piece < count; piece++) {
      int to = from + pieceSize(children.size(), count, piece);
      if (from > 0) {
        cuts.add(separators.get(from - 1));
      }
      nodes.add(
          new ForestNode.Inner(
              level, children.subList(from, to), separators.subList(from, to - 1)));
      from = to;
    }
    return new Pieces(nodes, cuts);
  }

  private static int pieces(int records, int max) {
    return Math.ceilDiv(records, max);
  }

  private static int pieceSize(int records, int pieces, int piece) {
    return records / pieces + (piece < records % pieces ? 1 : 0);
  }
}
