package io.tallystick.merkle;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The smaller proofs contained in a {@link RangeProof}: those of its single leaves and those of
/// the ranges inside it. The hashing is done once, by {@link #of}; it costs what verifying does.
/// Each proof made here holds exactly if the range proof does. Immutable.
public final class RangeSplit {
  private final RangeProof proof;
  private final RangeLevels levels;

  private RangeSplit(RangeProof proof, RangeLevels levels) {
    this.proof = proof;
    this.levels = levels;
  }

  /// @param leafHashes of the whole range, in order
  public static RangeSplit of(RangeProof proof, List<Digest> leafHashes)
      throws ProofRejectedException {
    return new RangeSplit(proof, proof.levels(leafHashes));
  }

  /// The root of the tree in which the range holds these leaves.
  public Digest root() {
    return levels.root();
  }

  /// The RFC 9162 inclusion proof of one leaf.
  ///
  /// @throws IndexOutOfBoundsException if it is not in the range
  public InclusionProof inclusion(long index) {
    Objects.checkIndex(index - proof.first(), (long) proof.count());
    return new InclusionProof(index, proof.treeSize(), levels.inclusionPath(index));
  }

  /// The range proof of `[first, first + count)`.
  ///
  /// @throws IndexOutOfBoundsException if it does not lie in the range
  public RangeProof narrow(long first, int count) {
    Objects.checkFromIndexSize(first - proof.first(), count, (long) proof.count());
    Map<NodeId, Digest> outside = rootsOutside();
    List<Digest> roots = new ArrayList<>();
    for (NodeId node : TreeGeometry.outsideRange(first, count, proof.treeSize())) {
      // What is no root of the wider proof has leaves of the wider range below it.
      Digest root = outside.get(node);
      roots.add(root != null ? root : levels.at(node));
    }
    return new RangeProof(first, count, proof.treeSize(), roots);
  }

  private Map<NodeId, Digest> rootsOutside() {
    List<NodeId> nodes = TreeGeometry.outsideRange(proof.first(), proof.count(), proof.treeSize());
    Map<NodeId, Digest> outside = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      outside.put(nodes.get(i), proof.roots().get(i));
    }
    return outside;
  }
}
