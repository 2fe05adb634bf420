package io.tallystick.evidence;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;

/// A journal's leaf, with the header in it. Who shows it, and that it is in a log, is not said.
///
/// @param requestHash what its attestation signs
public record ShownJournal(
    JournalLeaf leaf, Digest leafHash, RequestHeader header, Digest requestHash) {
  /// @throws ProofRejectedException with `WRONG_TYPE` for another leaf's bytes
  public static ShownJournal of(Bytes encoded) throws MalformedException, ProofRejectedException {
    Leaf leaf = Leaf.decode(encoded);
    if (!(leaf instanceof JournalLeaf journal)) {
      throw new ProofRejectedException(Reason.WRONG_TYPE, "leaf " + leaf.jsn() + " is no journal");
    }
    return new ShownJournal(
        journal,
        Leaf.hash(encoded),
        RequestHeader.decode(journal.header()),
        RequestHeader.hash(journal.header()));
  }

  public Jsn jsn() {
    return leaf.jsn();
  }

  public long timeMs() {
    return leaf.timeMs();
  }
}
