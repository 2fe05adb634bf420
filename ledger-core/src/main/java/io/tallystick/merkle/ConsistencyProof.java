package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.List;

/// Shows that the tree of size `from` is the beginning of the tree of size `to`. Its values are
/// unchecked until it is verified. Source: RFC 9162 section 2.1.4.
///
/// `from` is at least 1: every tree continues the empty one, so a proof from 0 says nothing and is
/// rejected. When `from == to` the path is empty and the roots must be equal.
///
/// A root does not say of how many leaves it is: the same path may join one leaf to one root at
/// several sizes and indexes. So the caller compares both sizes with what was signed together with
/// the root.
public record ConsistencyProof(long from, long to, List<Digest> path) {
  public ConsistencyProof {
    path = List.copyOf(path);
  }

  public void verify(JournalRoot fromRoot, JournalRoot toRoot) throws ProofRejectedException {
    verify(fromRoot.digest(), toRoot.digest());
  }

  // Not public: a root is accepted only from its own typed slot.
  void verify(Digest fromRoot, Digest toRoot) throws ProofRejectedException {
    Roots roots = roots(fromRoot);
    ProofShape.checkRoot(roots.older, fromRoot);
    ProofShape.checkRoot(roots.newer, toRoot);
  }

  /// Whether this path shows that a tree of size `to` with root `toRoot` begins with *another* tree
  /// of size `from` than the one with `fromRoot`: it leads to `toRoot`, but not to `fromRoot`. That
  /// proves that the signer of both forked the log. (No path can show it when `from` is a power of
  /// two, because then it does not hold the older root.)
  public boolean contradicts(JournalRoot fromRoot, JournalRoot toRoot) {
    try {
      Roots roots = roots(fromRoot.digest());
      return roots.newer.equals(toRoot.digest()) && !roots.older.equals(fromRoot.digest());
    } catch (ProofRejectedException e) {
      return false; // a path of the wrong form shows nothing
    }
  }

  /// Both roots as recomputed from the same hashes.
  private record Roots(Digest older, Digest newer) {}

  private Roots roots(Digest fromRoot) throws ProofRejectedException {
    checkShape();
    if (from == to) {
      return new Roots(fromRoot, fromRoot);
    }
    // A complete older tree is itself the first subtree, so the proof leaves its root out.
    boolean complete = Long.bitCount(from) == 1;
    return complete ? climb(fromRoot, path) : climb(path.getFirst(), path.subList(1, path.size()));
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

  // RFC 9162 section 2.1.4.2.
  private Roots climb(Digest start, List<Digest> siblings) {
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
    return new Roots(older, newer);
  }
}
