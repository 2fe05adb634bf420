package io.tallystick.storage.patricia;

import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One version of a trie, as it was published; it never changes. Thread-safe.
///
/// The newest can always be read, an older one for as long as its nodes' slots are kept: for some
/// savepoints ({@link io.tallystick.storage.page.SlotLimits}), and while a reader is {@link #open}.
public final class TrieView {
  /// Keccak-256 of the empty string's RLP.
  public static final Digest EMPTY_ROOT = SealLeaf.EMPTY_CLUE_ROOT;

  private static final long NEWEST = -1;

  private final PatriciaStore store;
  private final Digest rootHash;
  private volatile @Nullable Node root;

  // The version of the slots when a newer view took its place: the next gave its slots up.
  private volatile long replacedAt = NEWEST;

  TrieView(@Nullable Node root, PatriciaStore store) {
    this.root = root;
    this.rootHash = root == null ? EMPTY_ROOT : root.digest();
    this.store = store;
  }

  @Nullable Node node() {
    return root;
  }

  /// A newer view takes its place. The owner's.
  void replaced() {
    replacedAt = store.slots().version();
  }

  /// Keeps of the root, which is saved, only where it lies.
  void forget() {
    Node node = root;
    if (node != null) {
      root = new StoredNode(node);
    }
  }

  public Digest root() {
    return rootHash;
  }

  /// Keeps this version's slots from being written over, until the reader is closed; empty if they
  /// are no longer kept, and a newer view must be asked.
  public Optional<Reader> open() {
    while (true) {
      long replaced = replacedAt;
      long version = replaced == NEWEST ? store.slots().version() : replaced;
      if (!store.slots().pin(version)) {
        if (replaced != NEWEST) {
          return Optional.empty();
        }
      } else if (replacedAt == replaced) {
        return Optional.of(new Reader(version));
      } else {
        store.slots().unpin(version);
      }
    }
  }

  /// Reads one version of a trie. One thread's.
  public final class Reader implements AutoCloseable {
    private final NodeEncoder encoder = new NodeEncoder();
    private final long version;
    private boolean closed;

    private Reader(long version) {
      this.version = version;
    }

    /// The value of a key of 32 bytes; empty if it was never set.
    ///
    /// @throws CorruptStreamException if a node on the way is damaged
    public Optional<Bytes> get(Digest key) throws IOException, CorruptStreamException {
      byte[] bytes = key.toArray();
      List<Node> path = path(bytes);
      return !path.isEmpty() && path.getLast() instanceof LeafNode leaf && leaf.hasKey(bytes, 0)
          ? Optional.of(Bytes.copyOf(leaf.value, 0, leaf.value.length))
          : Optional.empty();
    }

    /// The RLP of the nodes from the root on the way of a key, as far as it goes: to its leaf, or
    /// to where it shows that there is none.
    ///
    /// @throws CorruptStreamException if a node on the way is damaged
    public List<Bytes> proof(Digest key) throws IOException, CorruptStreamException {
      return path(key.toArray()).stream().map(encoder::bytes).toList();
    }

    private List<Node> path(byte[] key) throws IOException, CorruptStreamException {
      if (closed) {
        throw new IllegalStateException("reader is closed");
      }
      List<Node> path = new ArrayList<>();
      Node node = root;
      int depth = 0;
      while (node != null) {
        Node here = node instanceof StoredNode stored ? store.load(stored, depth) : node;
        path.add(here);
        node = null;
        if (here instanceof BranchNode branch) {
          node = branch.child(Nibbles.at(key, 0, depth++));
        } else if (here instanceof ExtensionNode extension) {
          int matching = extension.matching(key, 0, depth);
          depth += matching;
          node = matching == extension.nibbles.length ? extension.onlyChild() : null;
        }
      }
      return path;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        store.slots().unpin(version);
      }
    }
  }
}
