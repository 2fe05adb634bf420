package io.tallystick.merkle.patricia;

import io.tallystick.crypto.Keccak256;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The proof of one clue in a clue trie, or that it is not there: the encoded nodes on the way of
/// its key, keccak256(clueId), from the root to where the way ends: at the leaf with the key, or,
/// if the clue was never used, at the node that shows it is not there. No node is left out or
/// added; the empty trie has none. They are unchecked until the proof is verified. Source:
/// `docs/formats/clue-trie.md`.
///
/// A root allows one answer for a key: each node is what the hash before it says, and its one
/// decoding says how the way goes on.
public record TrieProof(List<Bytes> nodes) {
  /// 64 branches, one for each nibble of a key, and a leaf.
  public static final int NODES_MAX = HexPrefix.NIBBLES_MAX + 1;

  /// The longest node.
  public static final int NODE_BYTES_MAX = TrieNode.BYTES_MAX;

  private static final int KEY_NIBBLES = HexPrefix.NIBBLES_MAX;

  public TrieProof {
    nodes = List.copyOf(nodes);
  }

  /// The key of a clue.
  public static Digest key(Digest clueId) {
    return Keccak256.hash(clueId.toArray());
  }

  /// @return what the trie holds for the clue; empty if it was never used
  public Optional<ClueValue> verify(Digest clueId, ClueRoot root) throws ProofRejectedException {
    return verifyKey(key(clueId), root);
  }

  // Not public: a key that is not the hash of a clue id says nothing about a clue.
  Optional<ClueValue> verifyKey(Digest key, ClueRoot root) throws ProofRejectedException {
    if (nodes.size() > NODES_MAX) {
      throw new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH, nodes.size() + " nodes, at most " + NODES_MAX);
    }
    if (root.equals(ClueRoot.EMPTY)) {
      requireEnd(0);
      return Optional.empty();
    }
    return new Walk(key.toArray(), root.digest()).follow();
  }

  private void requireEnd(int used) throws ProofRejectedException {
    if (nodes.size() != used) {
      throw new ProofRejectedException(
          Reason.WRONG_PATH_LENGTH, nodes.size() + " nodes, want " + used);
    }
  }

  /// The way of one key. Not thread-safe.
  private final class Walk {
    private final byte[] key;
    private Digest next;
    private int depth;
    private int used;

    Walk(byte[] key, Digest root) {
      this.key = key;
      this.next = root;
    }

    Optional<ClueValue> follow() throws ProofRejectedException {
      boolean goesOn = true;
      boolean branchWanted = false;
      Optional<ClueValue> found = Optional.empty();
      while (goesOn) {
        TrieNode node = take();
        if (branchWanted && !(node instanceof TrieNode.Branch)) {
          throw new ProofRejectedException(
              Reason.MALFORMED, "node " + (used - 1) + ": no branch below an extension");
        }
        branchWanted = node instanceof TrieNode.Extension;
        switch (node) {
          case TrieNode.Branch branch -> goesOn = enter(branch);
          case TrieNode.Extension extension -> goesOn = enter(extension);
          case TrieNode.Leaf leaf -> {
            found = find(leaf);
            goesOn = false;
          }
        }
      }
      requireEnd(used);
      return found;
    }

    private TrieNode take() throws ProofRejectedException {
      if (used == nodes.size()) {
        throw new ProofRejectedException(
            Reason.WRONG_PATH_LENGTH, used + " nodes, the way goes on at nibble " + depth);
      }
      Bytes encoded = nodes.get(used);
      Digest hash = TrieNode.hash(encoded);
      if (!hash.equals(next)) {
        throw new ProofRejectedException(
            Reason.ROOT_MISMATCH,
            String.format(Locale.ROOT, "node %d is %s, want %s", used, hash, next));
      }
      try {
        TrieNode node = TrieNode.decode(encoded);
        used++;
        return node;
      } catch (MalformedException e) {
        throw new ProofRejectedException(
            Reason.MALFORMED, "node " + used + ": " + e.getMessage(), e);
      }
    }

    private boolean enter(TrieNode.Branch branch) throws ProofRejectedException {
      requireDepth(1);
      Optional<Digest> child = branch.child(HexPrefix.nibble(key, depth));
      depth++;
      child.ifPresent(hash -> next = hash);
      return child.isPresent();
    }

    private boolean enter(TrieNode.Extension extension) throws ProofRejectedException {
      // Its keys all go on below it, so it never holds all that is left.
      requireDepth(extension.path().count() + 1);
      boolean matches = extension.path().matches(key, depth);
      depth += extension.path().count();
      next = extension.child();
      return matches;
    }

    private Optional<ClueValue> find(TrieNode.Leaf leaf) throws ProofRejectedException {
      if (depth + leaf.path().count() != KEY_NIBBLES) {
        throw new ProofRejectedException(
            Reason.MALFORMED,
            String.format(
                Locale.ROOT,
                "node %d: leaf of %d nibbles at %d of 64",
                used - 1,
                leaf.path().count(),
                depth));
      }
      return leaf.path().matches(key, depth) ? Optional.of(leaf.value()) : Optional.empty();
    }

    /// No way is longer than a key.
    private void requireDepth(int nibbles) throws ProofRejectedException {
      if (depth + nibbles > KEY_NIBBLES) {
        throw new ProofRejectedException(
            Reason.MALFORMED,
            String.format(
                Locale.ROOT, "node %d: %d nibbles at %d of 64", used - 1, nibbles, depth));
      }
    }
  }
}
