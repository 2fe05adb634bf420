package io.tallystick.misbehaviour;

import io.tallystick.cbor.CborReader;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Leaf;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageProof;
import io.tallystick.lineage.VerifiedLineage;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.Locale;

/// Claim 4. One leaf, a journal that names a clue. Items: the clue id, and a proof under the same
/// head that the clue was never used, or a run of its journals that has a gap where the journal
/// belongs.
final class OmittedJournal {
  private static final int CLUE_PROOF = 11;

  private OmittedJournal() {}

  static String find(Shown shown) throws ProofRejectedException, MalformedException {
    shown.demand(1, 2);
    ShownLeaf leaf = shown.leaves().getFirst();
    Bytes id = shown.items().getFirst();
    if (id.size() != Digest.BYTES) {
      throw new MalformedException("clue id of " + id.size() + " bytes, want 32");
    }
    Digest clueId = Digest.of(id);
    if (!leaf.header().clueIds().contains(clueId)) {
      throw new ProofRejectedException(
          Reason.WRONG_CLUE, "journal " + leaf.jsn() + " does not name clue " + clueId);
    }
    Bytes proof = shown.items().getLast();
    CborReader in = new CborReader(proof);
    in.array();
    return in.uint() == CLUE_PROOF
        ? neverUsed(leaf, clueId, ClueProof.decode(proof))
        : omitted(leaf, LineageProof.decode(proof).verify(clueId, leaf.head()));
  }

  private static String neverUsed(ShownLeaf leaf, Digest clueId, ClueProof proof)
      throws ProofRejectedException {
    SignedHead head = leaf.head();
    if (!(proof.verify(clueId, head) instanceof ClueState.NeverUsed)) {
      throw Shown.inOrder("clue " + clueId + " is used under size " + head.size());
    }
    return String.format(
        Locale.ROOT,
        "clue %s was never used under size %s, journal %d names it",
        clueId,
        head.size(),
        leaf.jsn());
  }

  /// The entries before and behind the place of the journal must be shown, or the lineage's ends.
  private static String omitted(ShownLeaf leaf, VerifiedLineage lineage)
      throws ProofRejectedException {
    int below = 0;
    while (below < lineage.entries().size() && lineage.entries().get(below).jsn() < leaf.jsn()) {
      below++;
    }
    if (below < lineage.entries().size()) {
      LineageEntry entry = lineage.entries().get(below);
      if (entry.jsn() == leaf.jsn() && entry.leaf().leafHash().equals(Leaf.hash(leaf.encoded()))) {
        throw Shown.inOrder("the lineage has journal " + leaf.jsn());
      }
    }
    boolean reachesLast = lineage.first() + lineage.entries().size() == lineage.state().count();
    if ((below == 0 && lineage.first() != 0)
        || (below == lineage.entries().size() && !reachesLast)) {
      throw Shown.inOrder("the run does not reach the place of journal " + leaf.jsn());
    }
    return String.format(
        Locale.ROOT,
        "the clue's journals under size %s leave out journal %d",
        leaf.head().size(),
        leaf.jsn());
  }
}
