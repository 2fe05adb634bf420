package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.List;

/// Shows that the leaf at `index` is in the tree of `size`: the siblings on its way to the root,
/// from the leaf up. Its values are unchecked until it is verified. Source: RFC 9162 section 2.1.3.
///
/// A root does not say of how many leaves it is: the same path may join one leaf to one root at
/// several sizes and indexes. So the caller compares `size` with what was signed together with the
/// root.
public record InclusionProof(long index, long size, List<Digest> path) {
  public InclusionProof {
    path = List.copyOf(path);
  }

  /// For a leaf of a log. For a root of another type there is {@link #rootFrom}: a root is accepted
  /// only from its own typed slot.
  ///
  /// @param leafHash SHA-256(0x00 ‖ leaf)
  public void verify(Digest leafHash, JournalRoot root) throws ProofRejectedException {
    ProofShape.checkRoot(rootFrom(leafHash), root.digest());
  }

  /// The root of the tree in which this proof holds for the leaf; for comparing with a root of its
  /// own type. RFC 9162 section 2.1.3.2.
  ///
  /// @throws ProofRejectedException if index, size and path length do not fit each other; nothing
  ///   is hashed then
  public Digest rootFrom(Digest leafHash) throws ProofRejectedException {
    ProofShape.checkIndex(index, size);
    ProofShape.checkLength(path, TreeGeometry.inclusionPathLength(index, size));
    long node = index;
    long last = size - 1;
    Digest hash = leafHash;
    for (Digest sibling : path) {
      // An only child at the right edge moves up without a sibling.
      while ((node & 1) == 0 && node == last) {
        node >>= 1;
        last >>= 1;
      }
      hash =
          (node & 1) == 1 ? TreeHasher.nodeHash(sibling, hash) : TreeHasher.nodeHash(hash, sibling);
      node >>= 1;
      last >>= 1;
    }
    return hash;
  }
}
