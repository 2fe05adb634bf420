package io.tallystick.bench.state;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A textbook Merkle B⁺-tree whose nodes are kept by hash: an update reads the nodes on the way of
/// the keys, and makes new ones for them up to the root. Source: Li and others, "Dynamic
/// authenticated index structures for outsourced databases" (2006), with a sorted batch at a time.
final class MerkleTree {
  /// Where nodes are.
  interface Nodes {
    byte[] read(Digest hash) throws Exception;

    void write(Digest hash, Bytes encoded) throws Exception;
  }

  private final int leafMax;
  private final int innerMax;
  private final Nodes nodes;

  MerkleTree(int leafMax, int innerMax, Nodes nodes) {
    this.leafMax = leafMax;
    this.innerMax = innerMax;
    this.nodes = nodes;
  }

  /// @param root null for the empty tree
  /// @param added at least one, strictly ascending by key
  /// @return the root of the tree with them
  Digest update(@Nullable Digest root, List<MerkleNode.Item> added) throws Exception {
    Cut cut = root == null ? cut(0, added) : insert(root, added);
    while (cut.pieces.size() > 1) {
      cut = cut(cut.level + 1, cut.pieces);
    }
    return cut.pieces.getFirst().hash();
  }

  /// Nodes of one level, as the records that their parent has of them.
  private record Cut(int level, List<MerkleNode.Item> pieces) {}

  private Cut insert(Digest hash, List<MerkleNode.Item> added) throws Exception {
    MerkleNode old = MerkleNode.decode(nodes.read(hash));
    if (old.level() == 0) {
      return cut(0, merged(old.records(), added));
    }
    List<MerkleNode.Item> records = new ArrayList<>();
    int from = 0;
    for (int slot = 0; slot < old.records().size(); slot++) {
      MerkleNode.Item record = old.records().get(slot);
      int to = from;
      while (to < added.size() && isBelowNext(old, slot, added.get(to).key())) {
        to++;
      }
      if (from == to) {
        records.add(record);
      } else {
        List<MerkleNode.Item> pieces = insert(record.hash(), added.subList(from, to)).pieces;
        records.add(new MerkleNode.Item(record.key(), pieces.getFirst().hash()));
        records.addAll(pieces.subList(1, pieces.size()));
      }
      from = to;
    }
    return cut(old.level(), records);
  }

  private static boolean isBelowNext(MerkleNode node, int slot, Bytes key) {
    return slot == node.records().size() - 1
        || key.compareTo(node.records().get(slot + 1).key()) < 0;
  }

  /// Both in order; of a key that is in both, the added record.
  private static List<MerkleNode.Item> merged(
      List<MerkleNode.Item> old, List<MerkleNode.Item> added) {
    List<MerkleNode.Item> all = new ArrayList<>(old.size() + added.size());
    int i = 0;
    for (MerkleNode.Item item : added) {
      while (i < old.size() && old.get(i).key().compareTo(item.key()) < 0) {
        all.add(old.get(i++));
      }
      if (i < old.size() && old.get(i).key().equals(item.key())) {
        i++;
      }
      all.add(item);
    }
    all.addAll(old.subList(i, old.size()));
    return all;
  }

  private Cut cut(int level, List<MerkleNode.Item> records) throws Exception {
    int max = level == 0 ? leafMax : innerMax;
    int count = Math.ceilDiv(records.size(), max);
    List<MerkleNode.Item> pieces = new ArrayList<>(count);
    int from = 0;
    for (int i = 0; i < count; i++) {
      int to = from + records.size() / count + (i < records.size() % count ? 1 : 0);
      Bytes encoded = new MerkleNode(level, records.subList(from, to)).encode();
      Digest hash = MerkleNode.hash(encoded.unsafeArray());
      nodes.write(hash, encoded);
      pieces.add(new MerkleNode.Item(records.get(from).key(), hash));
      from = to;
    }
    return new Cut(level, pieces);
  }

  /// The hash of a key's value.
  Optional<Digest> find(@Nullable Digest root, Bytes key) throws Exception {
    Optional<Digest> hash = Optional.ofNullable(root);
    while (hash.isPresent()) {
      byte[] node = nodes.read(hash.get());
      hash = MerkleNode.find(node, key);
      if (MerkleNode.level(node) == 0) {
        return hash;
      }
    }
    return Optional.empty();
  }

  /// The first records from a key on, in key order.
  ///
  /// @param root null for the empty tree
  List<MerkleNode.Item> range(@Nullable Digest root, Bytes from, int limit) throws Exception {
    List<MerkleNode.Item> found = new ArrayList<>();
    if (root != null) {
      collect(root, from, limit, found);
    }
    return found;
  }

  private void collect(Digest hash, Bytes from, int limit, List<MerkleNode.Item> found)
      throws Exception {
    MerkleNode node = MerkleNode.decode(nodes.read(hash));
    for (int slot = 0; slot < node.records().size() && found.size() < limit; slot++) {
      MerkleNode.Item record = node.records().get(slot);
      if (node.level() > 0) {
        if (isBelowNext(node, slot, from)) {
          collect(record.hash(), from, limit, found);
        }
      } else if (record.key().compareTo(from) >= 0) {
        found.add(record);
      }
    }
  }

  /// The nodes on the way of a key, from the root to a leaf.
  List<Bytes> path(Digest root, Bytes key) throws Exception {
    List<Bytes> path = new ArrayList<>();
    Digest hash = root;
    while (true) {
      byte[] node = nodes.read(hash);
      path.add(Bytes.copyOf(node));
      if (MerkleNode.level(node) == 0) {
        return path;
      }
      hash = MerkleNode.find(node, key).orElseThrow();
    }
  }
}
