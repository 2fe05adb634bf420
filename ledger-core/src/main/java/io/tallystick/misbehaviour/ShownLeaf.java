package io.tallystick.misbehaviour;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.receipt.ReceiptFile;

/// A leaf that the service put into the log under a head it signed.
///
/// @param head verified
/// @param proof of the leaf under the head
record ShownLeaf(Bytes encoded, Leaf leaf, SignedHead head, InclusionProof proof) {
  static ShownLeaf of(ReceiptFile file, SignedHead head) throws MalformedException {
    return new ShownLeaf(file.leaf(), Leaf.decode(file.leaf()), head, file.receipt().proof());
  }

  long jsn() {
    return leaf.jsn().value();
  }

  long timeMs() {
    return leaf.timeMs();
  }

  JournalLeaf journal() throws ProofRejectedException {
    if (leaf instanceof JournalLeaf journal) {
      return journal;
    }
    throw new ProofRejectedException(Reason.WRONG_TYPE, "leaf " + jsn() + " is no journal");
  }

  RequestHeader header() throws ProofRejectedException, MalformedException {
    return RequestHeader.decode(journal().header());
  }
}
