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

  PatriciaTrie(PatriciaStore store, StrandId strand, @Nullable TrieHead head) {
    this.store = store;
    this.strand = strand;
    @Nullable Node root =
        head == null ? null : new StoredNode(head.address(), head.root().toArray(), 0);
    this.keyCount = head == null ? 0 : head.keyCount();
    this.view = new TrieView(root, store);
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

  /// Sets the values of a batch; the version before stays as it is for who reads it. For the owner.
  ///
  /// @throws IllegalArgumentException if the batch has a key twice; the trie is then as before
  /// @throws CorruptStreamException if a node on the way is damaged; the trie is then as before
  public Digest apply(TrieBatch batch) throws IOException, CorruptStreamException {
    return apply(batch, UpdateChoice.of(batch));
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
      made += trace.freed().length + 2L * trace.added; // a leaf, and a branch above it, about
      for (long address : trace.freed()) {
        store.slots().free(address);
        nodes--;
      }
    }
    unsaved = true;
    store.made(made);
    view.replaced();
    view = new TrieView(edit.anchor.root(), store);
    return view.root();
  }

  /// Writes the nodes that are in no slot and puts the root into `batch`; nothing if the trie has
  /// not changed. For the owner, who lets the store's savepoint follow.
  public void savepoint(MetaBatch batch) throws IOException {
    store.checkUsable();
    Node root = view.node();
    if (root == null || !unsaved) {
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
