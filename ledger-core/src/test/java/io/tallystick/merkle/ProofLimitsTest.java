package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: the largest tree and the longest range are still within the limits. Method: trees whose
/// leaves are all the same, so that every node of a level is the same.
class ProofLimitsTest {
  private static final Digest LEAF = TreeHasher.leafHash(Bytes.utf8("leaf"));

  @Test
  void takesTheLargestTree() throws ProofRejectedException {
    List<Digest> path = new ArrayList<>();
    Digest node = LEAF;
    for (int level = 0; level < TreeGeometry.LEVEL_MAX; level++) {
      path.add(node);
      node = TreeHasher.nodeHash(node, node);
    }
    InclusionProof last =
        new InclusionProof(TreeGeometry.SIZE_MAX - 1, TreeGeometry.SIZE_MAX, path);
    assertThat(last.rootFrom(LEAF)).isEqualTo(node);
  }

  @Test
  void takesTheLongestRange() throws ProofRejectedException {
    Digest root = LEAF;
    for (int width = 1; width < RangeProof.COUNT_MAX; width *= 2) {
      root = TreeHasher.nodeHash(root, root);
    }
    RangeProof whole = new RangeProof(0, RangeProof.COUNT_MAX, RangeProof.COUNT_MAX, List.of());
    List<Digest> leaves = Collections.nCopies(RangeProof.COUNT_MAX, LEAF);
    assertThat(whole.rootFrom(leaves)).isEqualTo(root);
  }
}
