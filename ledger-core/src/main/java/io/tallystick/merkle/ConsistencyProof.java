package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;

/// That the tree of size `from` is the beginning of the tree of size `to`. Its values are as a
/// stranger sent them, checked when it is verified. Source: RFC 9162 section 2.1.4.
///
/// `from` is at least 1: every tree continues the empty one, so a proof from 0 says nothing and is
/// rejected. When `from == to` the path is empty and the roots must be equal.
public record ConsistencyProof(long from, long to, List<Digest> path) {
  public ConsistencyProof {
    path = List.copyOf(path);
  }

  public void verify(JournalRoot fromRoot, JournalRoot toRoot) throws ProofRejectedException {
    verify(fromRoot.digest(), toRoot.digest());
  }

  // Not public: a root is accepted only from its own typed slot.
  void verify(Digest fromRoot, Digest toRoot) throws ProofRejectedException {
    checkShape();
    if (from == to) {
      ProofShape.checkRoot(fromRoot, toRoot);
      return;
    }
    // A complete older tree is itself the first subtree, so the proof leaves its root out.
    boolean complete = Long.bitCount(from) == 1;
    Digest start = complete ? fromRoot : path.getFirst();
    climb(start, complete ? path : path.subList(1, path.size()), fromRoot, toRoot);
  }

  private void checkShape() throws ProofRejectedException {
    ProofShape.checkSize(from);
    ProofShape.checkSize(to);
    if (from > to) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "from size " + from + " to the smaller " + to);
    }
    ProofShape.checkLength(path, TreeGeometry.consistencyPathLength(from, to));
  }

  // RFC 9162 section 2.1.4.2: both roots are recomputed from the same hashes.
  private void climb(Digest start, List<Digest> siblings, Digest fromRoot, Digest toRoot)
      throws ProofRejectedException {
    int level = Long.numberOfTrailingZeros(from);
    long node = (from - 1) >> level;
    long last = (to - 1) >> level;
    Digest older = start;
    Digest newer = start;
    for (Digest sibling : siblings) {
      while ((node & 1) == 0 && node == last) {
        node >>= 1;
        last >>= 1;
      }
      if ((node & 1) == 1) {
        older = TreeHasher.nodeHash(sibling, older);
        newer = TreeHasher.nodeHash(sibling, newer);
      } else {
        newer = TreeHasher.nodeHash(newer, sibling);
      }
      node >>= 1;
      last >>= 1;
    }
    ProofShape.checkRoot(older, fromRoot);
    ProofShape.checkRoot(newer, toRoot);
  }
}
