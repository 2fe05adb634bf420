package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Arrays;

/// LockNU: optimistic lock coupling. A key goes down without locking, checks at each node that the
/// one above has not changed meanwhile, and locks the one node whose child it changes (and an
/// extension that it splits). A key that finds a change starts again from the root.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.2.
final class LockUpdate implements NodeUpdate {
  @Override
  public void update(Edit edit, Workers workers) throws IOException, CorruptStreamException {
    workers.run(edit.batch.size(), part(edit));
  }

  /// The work of each worker with its entries.
  Workers.Part part(Edit edit) {
    return (worker, from, to) -> {
      Descent descent = new Descent(edit, edit.traces[worker]);
      for (int i = from; i < to; i++) {
        descent.insert(edit.batch.at(i));
      }
    };
  }

  /// A worker's way down, one key after the other.
  private static final class Descent {
    private final Edit edit;
    private final Trace trace;
    private final byte[] keys;
    private int entry;
    private int offset;

    // Where the key is: the child looked at, the node above it, and the version that was read.
    private Inner parent;
    private int version;
    private int index;
    private int depth;

    private Inner top; // of what a split puts in the child's place

    private Descent(Edit edit, Trace trace) {
      this.edit = edit;
      this.trace = trace;
      this.keys = edit.batch.keys();
      this.parent = edit.holder;
      this.top = edit.holder;
    }

    private enum Step {
      ON,
      AGAIN,
      DONE
    }

    private void insert(int batchEntry) throws IOException, CorruptStreamException {
      entry = batchEntry;
      offset = TrieBatch.keyOffset(batchEntry);
      Step step;
      do {
        parent = edit.holder;
        version = parent.readLock();
        index = 0;
        depth = 0;
        do {
          step = step();
        } while (step == Step.ON);
      } while (step == Step.AGAIN);
    }

    private Step step() throws IOException, CorruptStreamException {
      Node child = parent.child(index);
      if (!parent.isValid(version)) {
        return Step.AGAIN;
      }
      return switch (child) {
        case null -> isSet(edit.leaf(entry, depth), 1);
        case StoredNode stored -> load(stored);
        case BranchNode branch when edit.owns(branch) ->
            down(branch, Nibbles.at(keys, offset, depth), 1);
        case BranchNode branch -> own(branch, new BranchNode(edit.epoch, branch));
        case ExtensionNode extension -> through(extension);
        case LeafNode leaf when leaf.hasKey(keys, offset) -> {
          edit.checkUnset(leaf, entry);
          Step step = isSet(edit.leaf(entry, leaf), 0);
          if (step == Step.DONE) {
            edit.replaced(leaf, trace);
          }
          yield step;
        }
        case LeafNode leaf -> split(leaf);
        case RootHolder _ -> throw new AssertionError("a root holder below another node");
      };
    }

    private Step isSet(LeafNode leaf, int added) {
      if (!parent.lock(version)) {
        return Step.AGAIN;
      }
      parent.set(index, leaf);
      parent.unlock(version);
      trace.levels.add(depth, leaf);
      trace.added += added;
      return Step.DONE;
    }

    /// Puts something in the child's place that stands for the same.
    private Step exchange(Node node) {
      if (!parent.lock(version)) {
        return Step.AGAIN;
      }
      parent.set(index, node);
      version = parent.unlock(version);
      return Step.ON;
    }

    private Step load(StoredNode stored) throws IOException, CorruptStreamException {
      Step step = exchange(edit.load(stored, depth));
      if (step == Step.ON) {
        trace.loaded++;
      }
      return step;
    }

    private Step own(Inner old, Inner copy) {
      Step step = exchange(copy);
      if (step == Step.ON) {
        trace.levels.add(depth, copy);
        trace.replaced(old);
      }
      return step;
    }

    private Step down(Inner node, int childIndex, int nibbles) {
      int childVersion = node.readLock();
      if (childVersion < 0 || !parent.isValid(version)) {
        return Step.AGAIN;
      }
      parent = node;
      version = childVersion;
      index = childIndex;
      depth += nibbles;
      return Step.ON;
    }

    private Step through(ExtensionNode extension) {
      int matching = extension.matching(keys, offset, depth);
      if (matching < extension.nibbles.length) {
        return split(extension, matching);
      }
      return edit.owns(extension)
          ? down(extension, 0, matching)
          : own(extension, new ExtensionNode(edit.epoch, extension.nibbles, extension.onlyChild()));
    }

    /// Two leaves where one was, below what their keys share.
    private Step split(LeafNode leaf) {
      if (!parent.lock(version)) {
        return Step.AGAIN;
      }
      int shared = Nibbles.shared(leaf.key, keys, offset, depth);
      BranchNode branch = branchBelow(Nibbles.of(leaf.key, depth, shared));
      int below = depth + shared + 1;
      LeafNode moved = edit.moved(leaf, below);
      branch.set(Nibbles.at(leaf.key, 0, below - 1), moved);
      trace.levels.add(below, moved);
      finish(branch, below);
      edit.replaced(leaf, trace);
      return Step.DONE;
    }

    /// A branch in the midst of an extension.
    private Step split(ExtensionNode extension, int shared) {
      if (!parent.lock(version)) {
        return Step.AGAIN;
      }
      boolean own = edit.owns(extension);
      int old = own ? lockNow(extension) : 0;
      byte[] nibbles = extension.nibbles;
      BranchNode branch = branchBelow(Arrays.copyOf(nibbles, shared));
      Node lower = extension.onlyChild();
      int at = nibbles[shared];
      int below = depth + shared + 1;
      if (shared + 1 < nibbles.length) {
        byte[] rest = Arrays.copyOfRange(nibbles, shared + 1, nibbles.length);
        ExtensionNode lowerExtension = new ExtensionNode(edit.epoch, rest, lower);
        branch.set(at, lowerExtension);
        trace.levels.add(below, lowerExtension);
      } else {
        branch.set(at, lower);
      }
      finish(branch, below);
      if (own) {
        extension.unlockObsolete(old);
      }
      edit.replaced(extension, trace);
      return Step.DONE;
    }

    /// Another worker may be changing the extension's child now. The extension cannot be obsolete:
    /// the node above is locked.
    private static int lockNow(ExtensionNode extension) {
      int old = extension.readLock();
      while (!extension.lock(old)) {
        old = extension.readLock();
      }
      return old;
    }

    /// A branch for the child's place, below an extension if there are nibbles above it. Both are
    /// listed, for the lock is held that puts them there.
    private BranchNode branchBelow(byte[] nibbles) {
      BranchNode branch = new BranchNode(edit.epoch);
      trace.levels.add(depth + nibbles.length, branch);
      top = branch;
      if (nibbles.length > 0) {
        top = new ExtensionNode(edit.epoch, nibbles, branch);
        trace.levels.add(depth, top);
      }
      return branch;
    }

    /// Adds the entry's own leaf to a branch of its split and puts that into the trie.
    private void finish(BranchNode branch, int below) {
      LeafNode leaf = edit.leaf(entry, below);
      branch.set(Nibbles.at(keys, offset, below - 1), leaf);
      trace.levels.add(below, leaf);
      trace.added++;
      parent.set(index, top);
      parent.unlock(version);
    }
  }
}
