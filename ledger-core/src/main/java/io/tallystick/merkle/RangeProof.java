package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import java.util.ArrayList;
import java.util.List;

/// Shows that the leaves `[first, first + count)` are in the tree of `treeSize`: the roots of the
/// maximal complete subtrees outside the range, left to right. Its values are unchecked until it is
/// verified, and then checked before anything is hashed. Costs about one node hash per leaf.
/// Source: `docs/formats/merkle.md`.
///
/// A root does not say of how many leaves it is: the same path may join one leaf to one root at
/// several sizes and indexes. So the caller compares the size with what was signed together with
/// the root.
public record RangeProof(long first, int count, long treeSize, List<Digest> roots) {
  /// The longest range one proof may have.
  public static final int COUNT_MAX = 1 << 16;

  /// No range has more subtree roots outside it: 62 left of it, and right of it at most 62 up and
  /// 62 down again.
  public static final int ROOTS_MAX = 3 * TreeGeometry.LEVEL_MAX;

  public RangeProof {
    roots = List.copyOf(roots);
  }

  public void verify(List<Digest> leafHashes, JournalRoot root) throws ProofRejectedException {
    ProofShape.checkRoot(rootFrom(leafHashes), root.digest());
  }

  /// The root of the tree in which the range holds these leaves.
  public Digest rootFrom(List<Digest> leafHashes) throws ProofRejectedException {
    return levels(leafHashes).root();
  }

  /// The RFC 9162 inclusion proofs of all leaves of the range, in order. The hashing is shared: the
  /// whole split costs what {@link #rootFrom} does.
  public List<InclusionProof> split(List<Digest> leafHashes) throws ProofRejectedException {
    RangeLevels levels = levels(leafHashes);
    List<InclusionProof> proofs = new ArrayList<>(count);
    for (long index = first; index < first + count; index++) {
      proofs.add(new InclusionProof(index, treeSize, levels.inclusionPath(index)));
    }
    return proofs;
  }

  RangeLevels levels(List<Digest> leafHashes) throws ProofRejectedException {
    checkShape();
    if (leafHashes.size() != count) {
      throw new ProofRejectedException(
          Reason.LEAF_MISMATCH, leafHashes.size() + " leaves for a range of " + count);
    }
    return RangeLevels.of(this, TreeHasher.flatten(leafHashes));
  }

  private void checkShape() throws ProofRejectedException {
    ProofShape.checkSize(treeSize);
    if (count < 1 || count > COUNT_MAX) {
      throw new ProofRejectedException(
          Reason.SIZE_OUT_OF_RANGE, "range of " + count + " leaves, want 1 to " + COUNT_MAX);
    }
    if (first < 0 || first > treeSize - count) {
      throw new ProofRejectedException(
          Reason.INDEX_OUT_OF_RANGE, count + " leaves from " + first + " of " + treeSize);
    }
    ProofShape.checkLength(roots, TreeGeometry.outsideRangeCount(first, count, treeSize));
  }
}
