package io.tallystick.head;

import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;

/// The seal that a head ends with, shown by a stranger: clue root and state root of a log are
/// accepted from it alone.
///
/// @param seal an encoded leaf
/// @param path that it is the last leaf under the head, as an inclusion proof of index size − 1
public record LastSeal(Bytes seal, List<Digest> path) {
  public LastSeal {
    path = List.copyOf(path);
  }

  /// @param head a trusted one
  public SealLeaf verify(SignedHead head) throws ProofRejectedException {
    long size = head.size().value();
    Leaf leaf;
    try {
      leaf = Leaf.decode(seal);
    } catch (MalformedException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "seal: " + e.getMessage(), e);
    }
    if (!(leaf instanceof SealLeaf last)) {
      throw new ProofRejectedException(Reason.WRONG_TYPE, "leaf " + leaf.jsn() + " is no seal");
    }
    if (last.jsn().value() != size - 1) {
      throw new ProofRejectedException(
          Reason.WRONG_JSN, "seal " + last.jsn() + " is not the last leaf of " + size);
    }
    new InclusionProof(size - 1, size, path).verify(Leaf.hash(seal), head.root());
    return last;
  }
}
