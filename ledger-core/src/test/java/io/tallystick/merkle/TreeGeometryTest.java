package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// The places of a proof's nodes: joined as documented they are exactly the reference's proofs, and
/// they hold up to the largest tree.
class TreeGeometryTest {
  private static final int SIZES = 130;
  private final ReferenceTree tree = ReferenceTree.ofSize(SIZES);

  @Test
  void namesTheNodesOfEveryInclusionPath() {
    for (int size = 1; size <= SIZES; size++) {
      for (int index = 0; index < size; index++) {
        assertThat(joined(TreeGeometry.inclusionPath(index, size)))
            .isEqualTo(tree.inclusionPath(index, size));
      }
    }
  }

  @Test
  void namesTheNodesOfEveryConsistencyPath() {
    for (int to = 1; to <= SIZES; to++) {
      for (int from = 1; from <= to; from++) {
        assertThat(joined(TreeGeometry.consistencyPath(from, to)))
            .isEqualTo(tree.consistencyPath(from, to));
      }
    }
  }

  @Test
  void namesTheNodesOutsideEveryRange() {
    for (int size = 1; size <= 40; size++) {
      for (int first = 0; first < size; first++) {
        for (int count = 1; count <= size - first; count++) {
          assertThat(looked(TreeGeometry.outsideRange(first, count, size)))
              .isEqualTo(tree.outsideRange(first, count, size));
        }
      }
    }
  }

  @Test
  void coversAWholeTreeByCompleteSubtrees() {
    for (int size = 1; size <= SIZES; size++) {
      assertThat(TreeHasher.foldRight(looked(TreeGeometry.cover(0, size))))
          .isEqualTo(tree.root(size));
    }
  }

  /// In a tree whose leaves are all the same, a complete subtree's hash depends on its level alone:
  /// so proofs of the largest trees can be made and verified.
  @Test
  void holdsUpToTheLargestTree() throws ProofRejectedException {
    SplittableRandom random = new SplittableRandom(4);
    for (int run = 0; run < 500; run++) {
      long size = TreeGeometry.SIZE_MAX - (random.nextLong(TreeGeometry.SIZE_MAX) >> run % 63);
      long index = size - 1 - (random.nextLong(size) >> random.nextInt(63));
      JournalRoot root = UniformTree.root(size);
      new InclusionProof(index, size, UniformTree.join(TreeGeometry.inclusionPath(index, size)))
          .verify(UniformTree.LEAF, root);
      long from = index + 1;
      new ConsistencyProof(from, size, UniformTree.join(TreeGeometry.consistencyPath(from, size)))
          .verify(UniformTree.root(from), root);
      int count = (int) Math.min(random.nextInt(1, 50), size - index);
      new RangeProof(
              index, count, size, UniformTree.look(TreeGeometry.outsideRange(index, count, size)))
          .verify(Collections.nCopies(count, UniformTree.LEAF), root);
    }
  }

  @Test
  void boundsEveryPath() {
    assertThat(TreeGeometry.inclusionPathLength(0, TreeGeometry.SIZE_MAX)).isEqualTo(62);
    assertThat(TreeGeometry.consistencyPathLength(TreeGeometry.SIZE_MAX - 1, TreeGeometry.SIZE_MAX))
        .isEqualTo(TreeGeometry.PATH_HASHES_MAX);
    assertThat(TreeGeometry.outsideRangeCount((1L << 61) - 1, 1, TreeGeometry.SIZE_MAX - 1))
        .isLessThanOrEqualTo(RangeProof.ROOTS_MAX);
  }

  @Test
  void refusesWhatIsOutsideTheTree() {
    assertThatThrownBy(() -> TreeGeometry.inclusionPath(3, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> TreeGeometry.inclusionPath(0, TreeGeometry.SIZE_MAX + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TreeGeometry.consistencyPath(0, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TreeGeometry.outsideRange(2, 2, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new NodeId(62, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  private List<Digest> joined(List<List<NodeId>> elements) {
    return elements.stream().map(element -> TreeHasher.foldRight(looked(element))).toList();
  }

  private List<Digest> looked(List<NodeId> nodes) {
    return nodes.stream()
        .map(node -> tree.root((int) node.firstLeaf(), (int) node.endLeaf()))
        .toList();
  }
}
