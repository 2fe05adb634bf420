package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// One batch on its way into a trie: a new version of the nodes on the paths of its keys, the rest
/// shared with the version before. Nodes of this edit are its to change; readers of the version
/// before never see them.
final class Edit {
  final long epoch;
  final RootHolder holder;
  final TrieBatch batch;
  final Trace[] traces;
  private final NodeLoader loader;

  Edit(long epoch, @Nullable Node root, TrieBatch batch, Trace[] traces, NodeLoader loader) {
    this.epoch = epoch;
    this.holder = new RootHolder(epoch, root);
    this.batch = batch;
    this.traces = traces;
    this.loader = loader;
  }

  boolean owns(Node node) {
    return node.epoch == epoch;
  }

  /// Reads a node that is on disk.
  ///
  /// @param depth nibbles of the key above it
  Node load(StoredNode stored, int depth) throws IOException, CorruptStreamException {
    return loader.load(stored, depth);
  }

  /// The next nibble below a node that is not an extension's child.
  int indexBelow(Inner parent, byte[] keys, int offset, int depth) {
    return parent instanceof BranchNode ? Nibbles.at(keys, offset, depth) : 0;
  }

  /// The new leaf of an entry.
  LeafNode leaf(int entry, int depth) {
    return new LeafNode(epoch, batch.key(entry), batch.value(entry), depth, true);
  }

  /// The leaf of an entry whose key is in the trie.
  LeafNode leaf(int entry, LeafNode old) {
    return new LeafNode(epoch, old.key, batch.value(entry), old.depth, true);
  }

  /// A leaf of before in another place.
  LeafNode moved(LeafNode old, int depth) {
    return new LeafNode(epoch, old.key, old.value, depth, owns(old) && old.set);
  }

  /// A worker took a node out of the trie.
  void replaced(Node old, Trace trace) {
    if (owns(old)) {
      old.dropped = true;
    } else {
      trace.replaced(old);
    }
  }

  /// @throws IllegalArgumentException if this edit gave the leaf a value already
  void checkUnset(LeafNode leaf, int entry) {
    if (owns(leaf) && leaf.set) {
      throw new IllegalArgumentException("entry " + entry + " has the key of an earlier one");
    }
  }
}
