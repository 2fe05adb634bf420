package io.tallystick.testkit.forest;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/// A node of a partition's tree, as `docs/formats/forest.md` defines its shape. Nodes are never
/// changed: an insertion answers the nodes that take their place.
sealed interface ReferenceNode {
  /// Nodes that stand side by side, and the separators that were cut between them.
  record Pieces(List<ReferenceNode> nodes, List<Bytes> cuts) {}

  int level();

  long entryCount();

  /// Between the records of this node.
  List<Bytes> separators();

  /// The records, encoded.
  List<Bytes> records();

  Pieces insert(NavigableMap<Bytes, StateEntry> entries, Limits limits);

  /// The most records of a leaf, and of an inner node.
  record Limits(int leafMax, int innerMax) {}

  record Leaf(NavigableMap<Bytes, StateEntry> entries) implements ReferenceNode {
    @Override
    public int level() {
      return 0;
    }

    @Override
    public long entryCount() {
      return entries.size();
    }

    @Override
    public List<Bytes> separators() {
      List<Bytes> keys = List.copyOf(entries.keySet());
      List<Bytes> separators = new ArrayList<>();
      for (int i = 1; i < keys.size(); i++) {
        separators.add(shortest(keys.get(i - 1), keys.get(i)));
      }
      return separators;
    }

    @Override
    public List<Bytes> records() {
      return entries.values().stream().map(StateEntry::encode).toList();
    }

    @Override
    public Pieces insert(NavigableMap<Bytes, StateEntry> added, Limits limits) {
      NavigableMap<Bytes, StateEntry> all = new TreeMap<>(entries);
      all.putAll(added);
      List<Bytes> keys = List.copyOf(all.keySet());
      List<ReferenceNode> nodes = new ArrayList<>();
      List<Bytes> cuts = new ArrayList<>();
      int from = 0;
      for (int size : sizes(keys.size(), limits.leafMax)) {
        if (from > 0) {
          cuts.add(shortest(keys.get(from - 1), keys.get(from)));
        }
        NavigableMap<Bytes, StateEntry> piece = new TreeMap<>();
        keys.subList(from, from + size).forEach(key -> piece.put(key, all.get(key)));
        nodes.add(new Leaf(piece));
        from += size;
      }
      return new Pieces(nodes, cuts);
    }
  }

  record Inner(int level, List<ReferenceNode> children, List<Bytes> separators)
      implements ReferenceNode {
    @Override
    public long entryCount() {
      return children.stream().mapToLong(ReferenceNode::entryCount).sum();
    }

    @Override
    public List<Bytes> records() {
      return children.stream().map(ReferenceHashing::child).toList();
    }

    @Override
    public Pieces insert(NavigableMap<Bytes, StateEntry> added, Limits limits) {
      List<ReferenceNode> newChildren = new ArrayList<>();
      List<Bytes> newSeparators = new ArrayList<>();
      for (int slot = 0; slot < children.size(); slot++) {
        if (slot > 0) {
          newSeparators.add(separators.get(slot - 1));
        }
        NavigableMap<Bytes, StateEntry> own = new TreeMap<>();
        for (StateEntry entry : added.values()) {
          if (ReferenceNode.slot(separators, entry.key()) == slot) {
            own.put(entry.key(), entry);
          }
        }
        ReferenceNode child = children.get(slot);
        Pieces pieces =
            own.isEmpty() ? new Pieces(List.of(child), List.of()) : child.insert(own, limits);
        newChildren.addAll(pieces.nodes);
        newSeparators.addAll(pieces.cuts);
      }
      return cut(level, newChildren, newSeparators, limits);
    }
  }

  /// Nodes of one level below a parent each, in as many parents as they need.
  static Pieces cut(
      int level, List<ReferenceNode> children, List<Bytes> separators, Limits limits) {
    List<ReferenceNode> nodes = new ArrayList<>();
    List<Bytes> cuts = new ArrayList<>();
    int from = 0;
    for (int size : sizes(children.size(), limits.innerMax)) {
      if (from > 0) {
        cuts.add(separators.get(from - 1));
      }
      nodes.add(
          new Inner(
              level,
              List.copyOf(children.subList(from, from + size)),
              List.copyOf(separators.subList(from, from + size - 1))));
      from += size;
    }
    return new Pieces(nodes, cuts);
  }

  /// The sizes of the pieces into which n records are cut: ⌈n/max⌉ pieces, the larger ones first.
  private static List<Integer> sizes(int n, int max) {
    int pieces = (n + max - 1) / max;
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      sizes.add(n / pieces + (i < n % pieces ? 1 : 0));
    }
    return sizes;
  }

  /// The number of separators that are at most `key`.
  static int slot(List<Bytes> separators, Bytes key) {
    return (int) separators.stream().filter(separator -> separator.compareTo(key) <= 0).count();
  }

  private static Bytes shortest(Bytes left, Bytes right) {
    for (int length = 1; ; length++) {
      Bytes prefix = right.slice(0, length);
      if (Arrays.compareUnsigned(prefix.toArray(), left.toArray()) > 0) {
        return prefix;
      }
    }
  }

  /// The tree that comes of putting entries into another, or into none.
  static ReferenceNode grow(
      List<ReferenceNode> root, NavigableMap<Bytes, StateEntry> entries, Limits limits) {
    ReferenceNode start = root.isEmpty() ? new Leaf(new TreeMap<>()) : root.getFirst();
    Pieces pieces = start.insert(entries, limits);
    while (pieces.nodes.size() > 1) {
      int level = pieces.nodes.getFirst().level() + 1;
      pieces = cut(level, pieces.nodes, pieces.cuts, limits);
    }
    return pieces.nodes.getFirst();
  }

  default Digest hash() {
    return ReferenceHashing.node(this);
  }
}
