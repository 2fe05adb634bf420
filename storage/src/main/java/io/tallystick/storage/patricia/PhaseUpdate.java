package io.tallystick.storage.patricia;

import io.tallystick.storage.patricia.Trace.Expanded;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// PhaseNU: lock-free update in three phases. Expand: leaves and extensions on the way of a key
/// become branches, so that what follows changes single children only. Insert: each leaf by a
/// compare-and-set. Compress: chains of branches with one child become extensions again.
///
/// Other than in the paper a leaf keeps its whole key and hangs as high as no other key of the
/// batch meets it; so it is expanded as far as needed and not down to its last nibble. An extension
/// is expanded whole, because a worker may be below it already.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.1.
final class PhaseUpdate implements NodeUpdate {
  @Override
  public void update(Edit edit, Workers workers) throws IOException, CorruptStreamException {
    int size = edit.batch.size();
    Inner[] parents = new Inner[size];
    byte[] depths = new byte[size];
    workers.run(size, expand(edit, parents, depths));
    workers.run(size, insert(edit, parents, depths));
    List<Expanded> expanded = expanded(edit);
    workers.run(expanded.size(), compress(edit, expanded));
  }

  /// Phase 1 over the batch's entries: where each is to be set.
  static Workers.Part expand(Edit edit, Inner[] parents, byte[] depths) {
    return (worker, from, to) -> {
      Descent descent = new Descent(edit, edit.traces[worker]);
      for (int i = from; i < to; i++) {
        descent.expand(edit.batch.at(i));
        parents[i] = descent.parent;
        depths[i] = (byte) descent.depth;
      }
    };
  }

  /// Phase 2 over the batch's entries.
  static Workers.Part insert(Edit edit, Inner[] parents, byte[] depths) {
    return (worker, from, to) -> {
      Descent descent = new Descent(edit, edit.traces[worker]);
      for (int i = from; i < to; i++) {
        descent.insert(edit.batch.at(i), parents[i], depths[i]);
      }
    };
  }

  /// The branches that phases 1 and 2 made of leaves and extensions.
  static List<Expanded> expanded(Edit edit) {
    List<Expanded> expanded = new ArrayList<>();
    for (Trace trace : edit.traces) {
      expanded.addAll(trace.expanded);
    }
    return expanded;
  }

  /// Phase 3 over those branches.
  static Workers.Part compress(Edit edit, List<Expanded> expanded) {
    return (worker, from, to) -> {
      for (int i = from; i < to; i++) {
        compress(edit, edit.traces[worker], expanded.get(i));
      }
    };
  }

  /// The worker that has a chain's first branch compresses it. No branch gains or loses a child
  /// meanwhile, so all workers see the same chains. What stays is listed to be hashed.
  private static void compress(Edit edit, Trace trace, Expanded expanded) {
    BranchNode first = expanded.branch();
    Inner above = expanded.above();
    if (first.childCount() != 1) {
      trace.levels.add(expanded.depth(), first);
      return;
    }
    if (above instanceof BranchNode branch && branch.childCount() == 1) {
      return; // no first one
    }
    byte[] nibbles = new byte[Nibbles.KEY_NIBBLES];
    int count = 0;
    Node last = first;
    while (last instanceof BranchNode branch && branch.childCount() == 1) {
      int nibble = branch.firstChild();
      nibbles[count++] = (byte) nibble;
      last = branch.child(nibble);
    }
    if (last == null || last instanceof LeafNode || last instanceof ExtensionNode) {
      throw new AssertionError("a chain of branches ends with no branch");
    }
    ExtensionNode extension = new ExtensionNode(edit.epoch, Arrays.copyOf(nibbles, count), last);
    trace.levels.add(expanded.depth(), extension);
    above.set(above.indexOf(first), extension);
  }

  /// A worker's way down, one key after the other.
  private static final class Descent {
    private final Edit edit;
    private final Trace trace;
    private final byte[] keys;
    private Inner parent;
    private int depth; // nibbles of the key down to the child looked at

    private Descent(Edit edit, Trace trace) {
      this.edit = edit;
      this.trace = trace;
      this.keys = edit.batch.keys();
      this.parent = edit.holder;
    }

    /// Goes down to where the key's leaf is or belongs, expanding on the way.
    private void expand(int entry) throws IOException, CorruptStreamException {
      parent = edit.holder;
      depth = 0;
      int offset = TrieBatch.keyOffset(entry);
      Node child;
      do {
        child = parent.child(index(offset));
      } while (child != null && isWayOn(child, offset));
    }

    private void insert(int entry, Inner from, int fromDepth)
        throws IOException, CorruptStreamException {
      parent = from;
      depth = fromDepth;
      int offset = TrieBatch.keyOffset(entry);
      while (!isSet(entry, offset)) {
        // Another worker was faster: what it put there is looked at.
      }
    }

    private boolean isSet(int entry, int offset) throws IOException, CorruptStreamException {
      int index = index(offset);
      Node child = parent.child(index);
      if (child == null) {
        LeafNode leaf = edit.leaf(entry, depth);
        return isReplaced(index, null, leaf, 1);
      }
      if (isWayOn(child, offset)) {
        return false;
      }
      LeafNode old = (LeafNode) child;
      edit.checkUnset(old, entry);
      if (isReplaced(index, old, edit.leaf(entry, old), 0)) {
        edit.replaced(old, trace);
        return true;
      }
      return false;
    }

    private boolean isReplaced(int index, @Nullable Node old, LeafNode leaf, int added) {
      if (parent.replace(index, old, leaf)) {
        trace.levels.add(depth, leaf);
        trace.added += added;
        return true;
      }
      return false;
    }

    /// Index of the child that the key goes on with, below {@link #parent}.
    private int index(int offset) {
      return parent instanceof BranchNode ? Nibbles.at(keys, offset, depth - 1) : 0;
    }

    /// Makes way through a child, or finds that it is the key's own leaf.
    private boolean isWayOn(Node child, int offset) throws IOException, CorruptStreamException {
      int index = index(offset);
      switch (child) {
        case BranchNode branch when edit.owns(branch) -> {
          parent = branch;
          depth++;
        }
        case BranchNode branch -> {
          BranchNode copy = new BranchNode(edit.epoch, branch);
          if (parent.replace(index, branch, copy)) {
            trace.levels.add(depth, copy);
            trace.replaced(branch);
          }
        }
        case StoredNode stored -> {
          if (parent.replace(index, stored, edit.load(stored, depth))) {
            trace.loaded++;
          }
        }
        case ExtensionNode extension -> expand(index, extension);
        case LeafNode leaf -> {
          if (leaf.hasKey(keys, offset)) {
            return false;
          }
          expand(index, leaf);
        }
        case RootHolder _ -> throw new AssertionError("a root holder below another node");
      }
      return true;
    }

    private void expand(int index, LeafNode leaf) {
      BranchNode branch = new BranchNode(edit.epoch);
      LeafNode lower = edit.moved(leaf, depth + 1);
      branch.set(Nibbles.at(leaf.key, 0, depth), lower);
      if (parent.replace(index, leaf, branch)) {
        edit.replaced(leaf, trace);
        trace.expanded.add(new Expanded(branch, parent, depth));
        trace.levels.add(depth + 1, lower);
      }
    }

    private void expand(int index, ExtensionNode extension) {
      List<Expanded> chain = new ArrayList<>();
      Inner above = parent;
      for (int i = 0; i < extension.nibbles.length; i++) {
        BranchNode branch = new BranchNode(edit.epoch);
        if (i > 0) {
          above.set(extension.nibbles[i - 1], branch);
        }
        chain.add(new Expanded(branch, above, depth + i));
        above = branch;
      }
      above.set(extension.nibbles[extension.nibbles.length - 1], extension.onlyChild());
      if (parent.replace(index, extension, chain.getFirst().branch())) {
        edit.replaced(extension, trace);
        trace.expanded.addAll(chain);
      }
    }
  }
}
