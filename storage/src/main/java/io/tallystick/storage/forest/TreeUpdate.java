package io.tallystick.storage.forest;

import io.tallystick.journal.StateParams;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Puts a block's entries into a partition's tree, once: each entry goes to the leaf that its slots
/// lead to, then nodes that have too many records are cut, from the leaves up. Nodes on the way are
/// made anew, the others are shared with the tree before. Workers make the leaves, then each level
/// is hashed in bulk before the one above it is made. Source: `docs/formats/forest.md`, "Shape".
final class TreeUpdate {
  private static final int SHARED_LEAVES_MIN = 8;
  private static final int SHARED_HASHES_MIN = 16;

  private final int leafMax;
  private final int innerMax;
  private final PageSource pages;
  private final PageCache cache;
  private final UpdateWorkers workers;

  /// A tree with the entries.
  ///
  /// @param madeBytes of the pages that are not in the tree before
  /// @param givenUp nodes that only the tree before has
  record Grown(NodeRef root, long madeBytes, GivenUp givenUp) {}

  /// A node on the way of entries `[from, to)` of the batch.
  private static final class Edit {
    final NodeRef ref;
    final int slot; // in its parent
    final int from;
    final int to;
    final List<Edit> below = new ArrayList<>();
    @Nullable ForestPage page;
    @Nullable Pieces pieces;

    Edit(NodeRef ref, int slot, int from, int to) {
      this.ref = ref;
      this.slot = slot;
      this.from = from;
      this.to = to;
    }

    Pieces pieces() {
      Pieces made = pieces;
      if (made == null) {
        throw new AssertionError("a node that was not made anew");
      }
      return made;
    }

    ForestPage page() {
      ForestPage loaded = page;
      if (loaded == null) {
        throw new AssertionError("a node that was not loaded");
      }
      return loaded;
    }
  }

  TreeUpdate(StateParams params, PageSource pages, PageCache cache, UpdateWorkers workers) {
    this.leafMax = params.leafEntriesMax();
    this.innerMax = params.innerEntriesMax();
    this.pages = pages;
    this.cache = cache;
    this.workers = workers;
  }

  /// The tree with the entries of a batch; the one that there is stays as it was. For the owner.
  ///
  /// @param root null for the empty tree
  /// @param batch at least one entry
  /// @throws CorruptStreamException if a node on the way is damaged
  Grown apply(@Nullable NodeRef root, EntryBatch batch) throws IOException, CorruptStreamException {
    GivenUp givenUp = new GivenUp();
    if (root == null) {
      return grown(Pieces.leaves(null, batch, 0, batch.size(), leafMax), 0, 0, givenUp);
    }
    List<List<Edit>> levels = new ArrayList<>();
    for (int level = 0; level <= root.level(); level++) {
      levels.add(new ArrayList<>());
    }
    Edit top = new Edit(root, 0, 0, batch.size());
    goDown(top, batch, levels);
    long madeBytes = 0;
    for (int level = 0; level < root.level(); level++) {
      make(levels.get(level), batch);
      for (Edit edit : levels.get(level)) {
        givenUp.add(edit.ref, edit.page());
      }
      madeBytes += hash(levels.get(level));
    }
    make(levels.getLast(), batch);
    givenUp.add(root, top.page());
    return grown(top.pieces(), root.level(), madeBytes, givenUp);
  }

  /// Hashes the root's pieces, and makes parents for them until there is one node.
  private Grown grown(Pieces top, int level, long bytesBelow, GivenUp givenUp)
      throws IOException, CorruptStreamException {
    Pieces pieces = top;
    long madeBytes = bytesBelow + hashPages(pieces.pages());
    int above = level;
    while (pieces.pages().size() > 1) {
      ChildList children = new ChildList();
      add(pieces, children);
      pieces = Pieces.inner(++above, null, children, innerMax);
      madeBytes += hashPages(pieces.pages());
    }
    return new Grown(NodeRef.unsaved(pieces.pages().getFirst()), madeBytes, givenUp);
  }

  /// Lists the nodes on the way of the entries; leaves are not read yet.
  private void goDown(Edit edit, EntryBatch batch, List<List<Edit>> levels)
      throws IOException, CorruptStreamException {
    levels.get(edit.ref.level()).add(edit);
    if (edit.ref.level() == 0) {
      return;
    }
    InnerPage inner = (InnerPage) cache.toReplace(pages, edit.ref);
    edit.page = inner;
    List<Bytes> separators = inner.separators().values();
    int from = edit.from;
    while (from < edit.to) {
      int slot = inner.separators().slot(EntryBytes.key(batch.bytes(), batch.start(from)));
      int to =
          slot == separators.size()
              ? edit.to
              : batch.firstAtLeast(separators.get(slot).unsafeArray(), from, edit.to);
      Edit below = new Edit(inner.child(slot), slot, from, to);
      edit.below.add(below);
      goDown(below, batch, levels);
      from = to;
    }
  }

  /// Makes the nodes of one level anew, those below them being hashed.
  private void make(List<Edit> edits, EntryBatch batch) throws IOException, CorruptStreamException {
    workers.run(
        edits.size(),
        SHARED_LEAVES_MIN,
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            Edit edit = edits.get(i);
            edit.pieces =
                edit.ref.level() == 0 ? leaves(edit, batch) : inner(edit, workers.children(worker));
          }
        });
  }

  private Pieces leaves(Edit edit, EntryBatch batch) throws IOException, CorruptStreamException {
    LeafPage leaf = (LeafPage) cache.toReplace(pages, edit.ref);
    edit.page = leaf;
    return Pieces.leaves(leaf, batch, edit.from, edit.to, leafMax);
  }

  private Pieces inner(Edit edit, ChildList children) {
    try {
      return innerWith(edit, children);
    } finally {
      children.clear();
    }
  }

  private Pieces innerWith(Edit edit, ChildList children) {
    InnerPage old = (InnerPage) edit.page();
    int slot = 0;
    for (Edit below : edit.below) {
      if (slot < below.slot) {
        separate(old, slot, children);
        children.addAll(old, slot, below.slot);
      }
      separate(old, below.slot, children);
      add(below.pieces(), children);
      slot = below.slot + 1;
    }
    if (slot < old.count()) {
      separate(old, slot, children);
      children.addAll(old, slot, old.count());
    }
    return Pieces.inner(edit.ref.level(), old, children, innerMax);
  }

  private static void separate(InnerPage old, int slot, ChildList children) {
    if (slot > 0) {
      children.separator(old.separators().values().get(slot - 1));
    }
  }

  private static void add(Pieces pieces, ChildList children) {
    for (int i = 0; i < pieces.pages().size(); i++) {
      if (i > 0) {
        children.separator(pieces.cuts().get(i - 1));
      }
      children.add(NodeRef.unsaved(pieces.pages().get(i)));
    }
  }

  /// @return bytes of the pages that were made
  private long hash(List<Edit> edits) throws IOException, CorruptStreamException {
    List<ForestPage> made = new ArrayList<>(edits.size());
    for (Edit edit : edits) {
      List<ForestPage> pieces = edit.pieces().pages();
      for (int i = 0; i < pieces.size(); i++) {
        made.add(pieces.get(i));
      }
    }
    return hashPages(made);
  }

  private long hashPages(List<ForestPage> made) throws IOException, CorruptStreamException {
    workers.run(
        made.size(),
        SHARED_HASHES_MIN,
        (worker, from, to) -> workers.hashing(worker).hash(made, from, to, workers.hasher()));
    long bytes = 0;
    for (ForestPage page : made) {
      bytes += page.bytes();
    }
    return bytes;
  }
}
