package io.tallystick.lineage;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.Limits;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A run of a clue's journals, perhaps all of them: `[12, clue proof, first, [roots…], [leaf
/// bstr…]]`. The run is a range of the clue's own tree, of which the clue proof says size and root:
/// RFC 9162 over the leaf hashes of the clue's journals, each hashed as a leaf once more. Source:
/// `docs/formats/lineage.md`.
///
/// @param first index of the run's first journal among the clue's, from 0
/// @param roots of the maximal complete subtrees of the clue's tree outside the run, left to right
/// @param leaves the journals' leaves as they stand in the log
public record LineageProof(ClueProof clue, long first, List<Digest> roots, List<Bytes> leaves) {
  /// The most journals in one proof; a longer lineage takes several.
  public static final int COUNT_MAX = RangeProof.COUNT_MAX;

  private static final int TYPE = 12;
  private static final int ITEMS = 5;

  public LineageProof {
    roots = List.copyOf(roots);
    leaves = List.copyOf(leaves);
  }

  public Bytes encode() {
    int leafBytes = leaves.stream().mapToInt(leaf -> leaf.size() + 3).sum();
    CborWriter out = new CborWriter(2048 + roots.size() * 34 + leafBytes);
    out.array(ITEMS).uint(TYPE);
    clue.encodeInto(out);
    out.uint(first).array(roots.size());
    roots.forEach(out::digest);
    out.array(leaves.size());
    leaves.forEach(out::bytes);
    return out.toBytes();
  }

  public static LineageProof decode(Bytes encoded) throws MalformedException {
    CborReader in = new CborReader(encoded);
    in.array("lineage proof", ITEMS);
    long type = in.uint();
    if (type != TYPE) {
      throw new MalformedException("type " + type + " is no lineage proof, want " + TYPE);
    }
    ClueProof clue = ClueProof.decode(in);
    long first = in.uint();
    List<Digest> roots = ClueProof.hashes(in, "roots", RangeProof.ROOTS_MAX);
    int count = in.arrayAtMost("leaves", COUNT_MAX);
    List<Bytes> leaves = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      leaves.add(Bytes.wrap(in.bytes("leaf", Limits.LEAF_BYTES_MAX)));
    }
    in.end();
    return new LineageProof(clue, first, roots, leaves);
  }

  /// That the trie under the head's last seal says so. Whether the seal tells the truth about its
  /// log is for an auditor to find.
  ///
  /// @param head a trusted one
  public VerifiedLineage verify(Digest clueId, SignedHead head) throws ProofRejectedException {
    if (!(clue.verify(clueId, head) instanceof ClueState.Used state)) {
      throw new ProofRejectedException(
          Reason.MISSING, leaves.size() + " journals of a clue that was never used");
    }
    checkRoot(state);
    List<LineageEntry> entries = new ArrayList<>(leaves.size());
    long above = -1;
    for (Bytes leaf : leaves) {
      LineageEntry entry = entry(leaf, clueId, head);
      if (entry.jsn() <= above) {
        throw new ProofRejectedException(
            Reason.WRONG_JSN, "jsn " + entry.jsn() + " behind " + above);
      }
      above = entry.jsn();
      entries.add(entry);
    }
    checkDeletions(entries, state);
    return new VerifiedLineage(state, first, entries);
  }

  /// Shape, then root; nothing of a leaf is read before.
  private void checkRoot(ClueState.Used state) throws ProofRejectedException {
    List<Digest> hashes = new ArrayList<>(leaves.size());
    for (Bytes leaf : leaves) {
      hashes.add(TreeHasher.leafHash(Leaf.hash(leaf)));
    }
    RangeProof range = new RangeProof(first, leaves.size(), state.count(), roots);
    Digest root = range.rootFrom(hashes);
    if (!root.equals(state.value().root())) {
      throw new ProofRejectedException(
          Reason.ROOT_MISMATCH, root + ", want " + state.value().root());
    }
  }

  private static LineageEntry entry(Bytes encoded, Digest clueId, SignedHead head)
      throws ProofRejectedException {
    try {
      if (!(Leaf.decode(encoded) instanceof JournalLeaf leaf)) {
        throw new ProofRejectedException(Reason.WRONG_TYPE, "a leaf that is no journal's");
      }
      RequestHeader header = RequestHeader.decode(leaf.header());
      checkPlace(leaf, header, head);
      if (!header.clueIds().contains(clueId)) {
        throw new ProofRejectedException(
            Reason.WRONG_CLUE, "journal " + leaf.jsn() + " does not name " + clueId);
      }
      return new LineageEntry(leaf, header);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "leaf: " + e.getMessage(), e);
    }
  }

  private static void checkPlace(JournalLeaf leaf, RequestHeader header, SignedHead head)
      throws ProofRejectedException {
    if (!header.strand().equals(head.strand())) {
      throw new ProofRejectedException(
          Reason.WRONG_LEDGER, header.strand() + ", want " + head.strand());
    }
    // The last leaf is the seal.
    if (leaf.jsn().value() >= head.size().value() - 1) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "journal " + leaf.jsn() + " in a log of " + head.size());
    }
  }

  /// A clue is deleted exactly while its last journal is a clueDelete.
  private void checkDeletions(List<LineageEntry> entries, ClueState.Used state)
      throws ProofRejectedException {
    if (first + entries.size() < state.count()) {
      return;
    }
    LineageEntry last = entries.getLast();
    long want = last.deletesClue() ? last.jsn() : 0;
    if (state.value().deletedJsn() != want) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN,
          String.format(
              Locale.ROOT,
              "deleted by %d, its last journal says %d",
              state.value().deletedJsn(),
              want));
    }
  }
}
