package io.tallystick.storage.patricia;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The Merkle Patricia trie of one strand: 32-byte keys to values, its root as Ethereum computes
/// it. Values are set by batches, all of one or none; keys are never removed.
///
/// One owner thread applies and saves. Any thread reads a {@link #view}, which stays what it is
/// while the owner goes on. A batch of m keys in a trie of n costs some m · log16 n nodes, each
/// hashed once. Source: LedgerDB section 6.3; Yellow Paper, appendix D;
/// `docs/formats/clue-trie.md`.
public final class PatriciaTrie {
  private final PatriciaStore store;
  private final StrandId strand;
  private volatile TrieView view;
  private long keyCount;
  private long nodes; // in memory and saved, about
  private boolean unsaved;
  private boolean unpublished; // being filled again: no savepoint and no reader has its nodes
  private long unspilled;

  PatriciaTrie(PatriciaStore store, StrandId strand, @Nullable TrieHead head) {
    this.store = store;
    this.strand = strand;
    @Nullable Node root =
        head == null ? null : new StoredNode(head.address(), head.root().toArray(), 0);
    this.keyCount = head == null ? 0 : head.keyCount();
    this.view = new TrieView(root, store);
  }

  /// An empty trie for a rebuild, which readers do not see yet.
  static PatriciaTrie unpublished(PatriciaStore store, StrandId strand) {
    PatriciaTrie trie = new PatriciaTrie(store, strand, null);
    trie.unpublished = true;
    trie.unsaved = true;
    return trie;
  }

  StrandId strand() {
    return strand;
  }

  /// The newest version.
  public TrieView view() {
    return view;
  }

  /// Keys that have a value. For the owner.
  public long keyCount() {
    return keyCount;
  }

  /// Nodes in memory that a savepoint holds. For the owner.
  public long nodesInMemory() {
    return nodes;
  }

  /// Sets the values of a batch; readers of the version before are not affected. For the owner.
  ///
  /// @throws IllegalArgumentException if the batch has a key twice; the trie is then as before
  /// @throws CorruptStreamException if a node on the way is damaged; the trie is then as before
  public Digest apply(TrieBatch batch) throws IOException, CorruptStreamException {
    return apply(batch, UpdateChoice.of(batch, store.workers().count()));
  }

  /// As {@link #apply(TrieBatch)}, in the way that the caller chose.
  public Digest apply(TrieBatch batch, UpdateWay way) throws IOException, CorruptStreamException {
    store.checkUsable();
    if (batch.size() == 0) {
      return view.root();
    }
    batch.arrange();
    for (Trace trace : store.traces()) {
      trace.clear();
    }
    Edit edit = new Edit(store.nextEpoch(), view.node(), batch, store.traces(), store::load);
    way.update().update(edit, store.workers());
    PhaseHash.hash(edit, store.workers());
    long made = 0;
    for (Trace trace : store.traces()) {
      keyCount += trace.added;
      nodes += trace.loaded;
      long[] freed = trace.freed();
      made += freed.length + 2L * trace.added; // a leaf, and a branch above it, about
      for (long address : freed) {
        giveUp(address);
        nodes--;
      }
    }
    unsaved = true;
    if (unpublished) {
      unspilled += made;
    } else {
      store.made(made);
    }
    view.replaced();
    view = new TrieView(edit.holder.root(), store);
    return view.root();
  }

  private void giveUp(long address) throws CorruptStreamException {
    if (unpublished) {
      store.slots().giveBack(address);
    } else {
      store.slots().free(address);
    }
  }

  /// Nodes made since the last {@link #spill}. For the owner, while the trie is rebuilt.
  public long unspilledNodes() {
    return unspilled;
  }

  /// Writes all nodes to slots and drops them from memory, so that a trie that is rebuilt may be
  /// larger than memory. No savepoint holds them: after a crash it is filled from the beginning.
  /// For the owner, before the store {@link PatriciaStore#publish publishes} the trie.
  public void spill() throws IOException {
    if (!unpublished) {
      throw new IllegalStateException("the trie of " + strand + " has readers");
    }
    Node root = view.node();
    if (root != null) {
      save(root);
      store.slots().flush();
      view.forget();
    }
    nodes = 0;
    unspilled = 0;
  }

  /// From now on savepoints and readers have it.
  void publish() {
    unpublished = false;
    store.made(unspilled + 1);
  }

  /// Another trie takes this one's place: gives its slots up, as far as its nodes are found. Who
  /// reads its views may go on as with any older version.
  ///
  /// @return damaged nodes, each of whose slots, and those of all nodes below it, stay taken
  long abandon() {
    Node root = view.node();
    long lost = root == null ? 0 : abandon(root, 0);
    view.replaced();
    return lost;
  }

  /// At most 65 deep. A slot is given up only once its node was found in it: a damaged address must
  /// not free another trie's.
  private long abandon(Node node, int depth) {
    Node here = node;
    if (node instanceof StoredNode stored) {
      try {
        here = store.load(stored, depth);
      } catch (IOException | CorruptStreamException _) {
        return 1; // and what is wrong with the disk shows where it matters
      }
    }
    long lost = 0;
    if (here instanceof Inner inner) {
      int below = depth + (inner instanceof ExtensionNode extension ? extension.nibbles.length : 1);
      for (int i = 0; i < inner.children.length; i++) {
        Node child = inner.child(i);
        lost += child == null ? 0 : abandon(child, below);
      }
    }
    if (here.address != Node.UNSAVED) {
      store.slots().free(here.address);
    }
    return lost;
  }

  /// Writes the nodes that are in no slot and puts the root into `batch`; nothing if the trie has
  /// not changed. For the owner, which takes the store's savepoint next.
  public void savepoint(MetaBatch batch) throws IOException {
    store.checkUsable();
    Node root = view.node();
    if (!unsaved) {
      return;
    }
    if (root == null) {
      batch.delete(TrieHead.key(strand));
      unsaved = false;
      return;
    }
    store.begin();
    save(root);
    batch.put(TrieHead.key(strand), new TrieHead(root.address, root.digest(), keyCount).encode());
    unsaved = false;
    store.end();
  }

  /// Depth first, so that each child has its address; at most 65 deep.
  private void save(Node node) throws IOException {
    if (node.address != Node.UNSAVED) {
      return;
    }
    if (node instanceof Inner inner) {
      for (int i = 0; i < inner.children.length; i++) {
        Node child = inner.child(i);
        if (child != null) {
          save(child);
        }
      }
    }
    NodeCodec codec = store.codec();
    int count = codec.encode(node);
    node.address = store.slots().next(count);
    codec.seal(node.address);
    store.slots().write(node.address, codec.array(), count);
    nodes++;
  }

  /// Lets go of saved nodes that were made before an epoch.
  ///
  /// @return nodes that stay in memory
  long prune(long before) {
    Node root = view.node();
    if (root == null || root instanceof StoredNode) {
      nodes = 0;
    } else if (isOld(root, before)) {
      view.forget();
      nodes = 0;
    } else {
      nodes = pruneBelow(root, before);
    }
    return nodes;
  }

  private static boolean isOld(Node node, long before) {
    return node.epoch < before && node.address != Node.UNSAVED;
  }

  /// A node is at least as young as those below it, or was read from its slot.
  private static long pruneBelow(Node node, long before) {
    long kept = 1;
    if (node instanceof Inner inner) {
      for (int i = 0; i < inner.children.length; i++) {
        Node child = inner.child(i);
        if (child == null || child instanceof StoredNode) {
          continue;
        }
        if (isOld(child, before)) {
          inner.forget(i, new StoredNode(child));
        } else {
          kept += pruneBelow(child, before);
        }
      }
    }
    return kept;
  }
}
