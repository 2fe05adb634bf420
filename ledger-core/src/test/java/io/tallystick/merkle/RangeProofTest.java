package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Range proofs: every range of every small tree verifies and splits into exactly the reference's
/// inclusion paths; no mutation verifies.
class RangeProofTest {
  private static final int SIZES = 40;
  private final ReferenceTree tree = ReferenceTree.ofSize(5000);
  private final SplittableRandom random = new SplittableRandom(3);

  @Test
  void acceptsEveryRangeOfEveryTree() throws ProofRejectedException {
    for (int size = 1; size <= SIZES; size++) {
      for (int first = 0; first < size; first++) {
        for (int count = 1; count <= size - first; count++) {
          proof(first, count, size).verify(leaves(first, count), root(size));
        }
      }
    }
  }

  @Test
  void splitsIntoExactlyTheReferencePaths() throws ProofRejectedException {
    for (int size = 1; size <= SIZES; size++) {
      for (int first = 0; first < size; first++) {
        for (int count = 1; count <= size - first; count++) {
          assertSplits(first, count, size);
        }
      }
    }
  }

  @Test
  void acceptsAndSplitsLargerRanges() throws ProofRejectedException {
    for (int run = 0; run < 20; run++) {
      int size = random.nextInt(SIZES, tree.size() + 1);
      int first = random.nextInt(size);
      int count = random.nextInt(1, Math.min(1000, size - first) + 1);
      proof(first, count, size).verify(leaves(first, count), root(size));
      assertSplits(first, count, size);
    }
  }

  @Test
  void narrowsToExactlyTheReferenceProofOfEveryRangeInside() throws ProofRejectedException {
    for (int size = 1; size <= 17; size++) {
      for (int first = 0; first < size; first++) {
        for (int count = 1; count <= size - first; count++) {
          RangeSplit split = RangeSplit.of(proof(first, count, size), leaves(first, count));
          assertThat(split.root()).isEqualTo(root(size).digest());
          for (int inner = first; inner < first + count; inner++) {
            assertThat(split.inclusion(inner).path()).isEqualTo(tree.inclusionPath(inner, size));
            for (int width = 1; width <= first + count - inner; width++) {
              assertThat(split.narrow(inner, width)).isEqualTo(proof(inner, width, size));
            }
          }
        }
      }
    }
  }

  @Test
  void narrowsToNothingOutsideTheRange() throws ProofRejectedException {
    RangeSplit split = RangeSplit.of(proof(5, 9, 23), leaves(5, 9));
    for (int[] range : new int[][] {{4, 2}, {13, 2}, {5, 0}, {22, 1}}) {
      assertThatThrownBy(() -> split.narrow(range[0], range[1]))
          .isInstanceOfAny(IndexOutOfBoundsException.class, IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> split.inclusion(14)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void rejectsEveryMutationOfTheRoots() {
    for (int size = 1; size <= 130; size += 3) {
      int first = random.nextInt(size);
      int count = random.nextInt(1, size - first + 1);
      List<Digest> leaves = leaves(first, count);
      JournalRoot root = root(size);
      for (List<Digest> roots : Proofs.mutations(tree.outsideRange(first, count, size), random)) {
        RangeProof spoiled = new RangeProof(first, count, size, roots);
        Proofs.assertRejected(spoiled.toString(), () -> spoiled.verify(leaves, root));
      }
    }
  }

  @Test
  void rejectsEveryMutationOfTheLeaves() {
    RangeProof proof = proof(5, 9, 23);
    for (List<Digest> leaves : Proofs.mutations(leaves(5, 9), random)) {
      Proofs.assertRejected("leaves", () -> proof.verify(leaves, root(23)));
    }
  }

  @Test
  void rejectsAMovedRange() {
    for (int first = 0; first < 23; first++) {
      RangeProof moved = new RangeProof(first, 5, 23, tree.outsideRange(6, 5, 23));
      if (first != 6) {
        Proofs.assertRejected(moved.toString(), () -> moved.verify(leaves(6, 5), root(23)));
      }
    }
  }

  @Test
  void namesWhatIsWrong() {
    assertReason(new RangeProof(0, 1, 0, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new RangeProof(0, 1, Long.MAX_VALUE, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new RangeProof(0, 0, 7, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new RangeProof(0, -1, 7, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new RangeProof(7, 1, 7, List.of()), Reason.INDEX_OUT_OF_RANGE);
    assertReason(new RangeProof(Long.MAX_VALUE, 1, 7, List.of()), Reason.INDEX_OUT_OF_RANGE);
    assertReason(new RangeProof(-1, 1, 7, List.of()), Reason.INDEX_OUT_OF_RANGE);
    assertReason(new RangeProof(0, 1, 7, List.of()), Reason.WRONG_PATH_LENGTH);
    assertReason(new RangeProof(0, 7, 7, List.of()), Reason.LEAF_MISMATCH);
  }

  private void assertReason(RangeProof proof, Reason reason) {
    assertThatThrownBy(() -> proof.verify(leaves(0, 1), root(7)))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private void assertSplits(int first, int count, int size) throws ProofRejectedException {
    List<InclusionProof> proofs = proof(first, count, size).split(leaves(first, count));
    assertThat(proofs).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(proofs.get(i))
          .isEqualTo(new InclusionProof(first + i, size, tree.inclusionPath(first + i, size)));
    }
  }

  private RangeProof proof(int first, int count, int size) {
    List<Digest> roots = tree.outsideRange(first, count, size);
    assertThat(roots).hasSize(TreeGeometry.outsideRangeCount(first, count, size));
    return new RangeProof(first, count, size, roots);
  }

  private List<Digest> leaves(int first, int count) {
    return tree.leafHashes(first, first + count);
  }

  private JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }
}
