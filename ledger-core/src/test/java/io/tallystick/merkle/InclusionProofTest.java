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

/// Inclusion proofs: every proof of the reference tree verifies, and no mutation of one does.
class InclusionProofTest {
  private static final int SIZES = 130;
  private final ReferenceTree tree = ReferenceTree.ofSize(5000);
  private final SplittableRandom random = new SplittableRandom(1);

  @Test
  void acceptsEveryLeafOfEveryTree() throws ProofRejectedException {
    for (int size = 1; size <= SIZES; size++) {
      for (int index = 0; index < size; index++) {
        proof(index, size).verify(tree.leafHash(index), root(size));
      }
    }
  }

  @Test
  void acceptsRandomLeavesOfLargerTrees() throws ProofRejectedException {
    for (int run = 0; run < 300; run++) {
      int size = random.nextInt(SIZES, tree.size() + 1);
      int index = random.nextInt(size);
      proof(index, size).verify(tree.leafHash(index), root(size));
    }
  }

  @Test
  void knowsThePathLengthBeforeHashing() {
    for (int size = 1; size <= SIZES; size++) {
      for (int index = 0; index < size; index++) {
        assertThat(TreeGeometry.inclusionPathLength(index, size))
            .as("leaf %d of %d", index, size)
            .isEqualTo(tree.inclusionPath(index, size).size());
      }
    }
  }

  @Test
  void rejectsEveryMutationOfThePath() {
    for (int size = 1; size <= SIZES; size += 3) {
      int index = random.nextInt(size);
      for (List<Digest> path : Proofs.mutations(tree.inclusionPath(index, size), random)) {
        InclusionProof spoiled = new InclusionProof(index, size, path);
        Digest leaf = tree.leafHash(index);
        JournalRoot root = root(size);
        Proofs.assertRejected(spoiled.toString(), () -> spoiled.verify(leaf, root));
      }
    }
  }

  @Test
  void rejectsEveryOtherIndexAndSize() {
    for (int size = 1; size <= 40; size++) {
      int index = random.nextInt(size);
      List<Digest> path = tree.inclusionPath(index, size);
      for (int other = -1; other <= 2 * size; other++) {
        InclusionProof moved = new InclusionProof(other, size, path);
        if (other != index) {
          assertRejected(moved, index, size);
        }
      }
    }
  }

  /// The size is not hashed into a root, so the same path and root can fit another size: a verifier
  /// must take the size from what was signed. Any path that does not fit is rejected.
  @Test
  void rejectsAnotherSizeUnlessTheRootCannotTellIt() throws ProofRejectedException {
    for (int size = 1; size <= 40; size++) {
      int index = random.nextInt(size);
      List<Digest> path = tree.inclusionPath(index, size);
      for (int other = 0; other <= 2 * size + 1; other++) {
        InclusionProof resized = new InclusionProof(index, other, path);
        boolean fits =
            index < other && TreeGeometry.inclusionPathLength(index, other) == path.size();
        if (!fits) {
          assertRejected(resized, index, size);
        }
      }
    }
  }

  @Test
  void rejectsAnotherLeafOrRoot() {
    InclusionProof proof = proof(5, 11);
    Proofs.assertRejected("leaf 4", () -> proof.verify(tree.leafHash(4), root(11)));
    Proofs.assertRejected("root of 12", () -> proof.verify(tree.leafHash(5), root(12)));
  }

  @Test
  void namesWhatIsWrong() {
    assertReason(new InclusionProof(0, 0, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new InclusionProof(0, -1, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(
        new InclusionProof(0, TreeGeometry.SIZE_MAX + 1, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new InclusionProof(0, Long.MAX_VALUE, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new InclusionProof(7, 7, List.of()), Reason.INDEX_OUT_OF_RANGE);
    assertReason(new InclusionProof(Long.MIN_VALUE, 7, List.of()), Reason.INDEX_OUT_OF_RANGE);
    assertReason(new InclusionProof(0, 2, List.of()), Reason.WRONG_PATH_LENGTH);
    assertReason(new InclusionProof(0, 2, List.of(Digest.ZERO)), Reason.ROOT_MISMATCH);
  }

  private void assertReason(InclusionProof proof, Reason reason) {
    assertThatThrownBy(() -> proof.verify(tree.leafHash(0), root(7)))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private void assertRejected(InclusionProof proof, int leaf, int size) {
    Digest leafHash = tree.leafHash(leaf);
    JournalRoot root = root(size);
    Proofs.assertRejected(proof.toString(), () -> proof.verify(leafHash, root));
  }

  private InclusionProof proof(int index, int size) {
    return new InclusionProof(index, size, tree.inclusionPath(index, size));
  }

  private JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }
}
