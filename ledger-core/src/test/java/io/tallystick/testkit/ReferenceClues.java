package io.tallystick.testkit;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.testkit.patricia.ReferenceTrie;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bouncycastle.jcajce.provider.digest.Keccak;

/// The clue trie of a log by definition, made from its leaves alone with the reference trees: which
/// journals name a clue, in order, what the trie holds for it, and its proofs. Changes made to the
/// trie by {@link #trie} are lies, for tests of who must find them.
public final class ReferenceClues {
  private final Map<Digest, List<Bytes>> journals = new TreeMap<>();
  private final Map<Digest, Long> deletions = new TreeMap<>();
  private final ReferenceTrie trie = new ReferenceTrie();

  private ReferenceClues() {}

  /// @param leaves of a log from its first on
  public static ReferenceClues of(List<Bytes> leaves) {
    ReferenceClues clues = new ReferenceClues();
    leaves.forEach(clues::add);
    clues.journals.keySet().forEach(id -> clues.put(id, clues.value(id)));
    return clues;
  }

  private void add(Bytes encoded) {
    try {
      if (Leaf.decode(encoded) instanceof JournalLeaf leaf) {
        RequestHeader header = RequestHeader.decode(leaf.header());
        for (Digest id : header.clueIds()) {
          journals.computeIfAbsent(id, unused -> new ArrayList<>()).add(encoded);
          deletions.put(id, header.kind() == Kind.CLUE_DELETE ? leaf.jsn().value() : 0);
        }
      }
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  /// The clue's journals, as leaves of the log.
  public List<Bytes> journals(Digest clueId) {
    return List.copyOf(journals.getOrDefault(clueId, List.of()));
  }

  /// The clue's own tree: over the leaf hashes of its journals, each as 32 bytes of data.
  public ReferenceTree tree(Digest clueId) {
    ReferenceTree leaves = new ReferenceTree(journals(clueId));
    List<Bytes> hashes = new ArrayList<>(leaves.size());
    for (int i = 0; i < leaves.size(); i++) {
      hashes.add(leaves.leafHash(i).toBytes());
    }
    return new ReferenceTree(hashes);
  }

  /// What the trie must hold for a clue that was used.
  public ClueValue value(Digest clueId) {
    ReferenceTree tree = tree(clueId);
    return new ClueValue(tree.size(), tree.root(tree.size()), deletions.getOrDefault(clueId, 0L));
  }

  /// Sets what the trie holds for a clue, true or not.
  public void put(Digest clueId, ClueValue value) {
    trie.put(key(clueId), value.encode().toArray());
  }

  public Digest root() {
    return trie.root();
  }

  public TrieProof proof(Digest clueId) {
    return new TrieProof(trie.proof(key(clueId)));
  }

  public ReferenceTrie trie() {
    return trie;
  }

  /// Where the trie keeps a clue.
  public static byte[] key(Digest clueId) {
    return new Keccak.Digest256().digest(clueId.toArray());
  }
}
