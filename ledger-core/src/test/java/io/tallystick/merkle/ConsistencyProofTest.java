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

/// Consistency proofs: every proof of the reference tree verifies, and no mutation of one does.
class ConsistencyProofTest {
  private static final int SIZES = 130;
  private final ReferenceTree tree = ReferenceTree.ofSize(5000);
  private final SplittableRandom random = new SplittableRandom(2);

  @Test
  void acceptsEveryPairOfSizes() throws ProofRejectedException {
    for (int to = 1; to <= SIZES; to++) {
      for (int from = 1; from <= to; from++) {
        proof(from, to).verify(root(from), root(to));
      }
    }
  }

  @Test
  void acceptsRandomPairsOfLargerTrees() throws ProofRejectedException {
    for (int run = 0; run < 300; run++) {
      int to = random.nextInt(SIZES, tree.size() + 1);
      int from = random.nextInt(1, to + 1);
      proof(from, to).verify(root(from), root(to));
    }
  }

  @Test
  void knowsThePathLengthBeforeHashing() {
    for (int to = 1; to <= SIZES; to++) {
      for (int from = 1; from <= to; from++) {
        assertThat(TreeGeometry.consistencyPathLength(from, to))
            .as("%d to %d", from, to)
            .isEqualTo(tree.consistencyPath(from, to).size());
      }
    }
  }

  @Test
  void rejectsEveryMutationOfThePath() {
    for (int to = 1; to <= SIZES; to += 3) {
      int from = random.nextInt(1, to + 1);
      for (List<Digest> path : Proofs.mutations(tree.consistencyPath(from, to), random)) {
        assertRejected(new ConsistencyProof(from, to, path), root(from), root(to));
      }
    }
  }

  @Test
  void rejectsRootsThatAreNotTheTwo() {
    for (int to = 2; to <= 40; to++) {
      for (int from = 1; from < to; from++) {
        ConsistencyProof proof = proof(from, to);
        JournalRoot spoiled = new JournalRoot(Proofs.flipBit(tree.root(to), random.nextInt(256)));
        assertRejected(proof, root(from), spoiled);
        assertRejected(proof, new JournalRoot(Proofs.flipBit(tree.root(from), 9)), root(to));
        assertRejected(proof, root(to), root(from));
      }
    }
  }

  @Test
  void rejectsDifferentRootsOfOneSize() {
    assertReason(new ConsistencyProof(7, 7, List.of()), Reason.ROOT_MISMATCH);
    assertReason(new ConsistencyProof(7, 7, List.of(Digest.ZERO)), Reason.WRONG_PATH_LENGTH);
  }

  @Test
  void rejectsAProofFromTheEmptyTreeBecauseItSaysNothing() {
    assertReason(new ConsistencyProof(0, 7, List.of()), Reason.SIZE_OUT_OF_RANGE);
  }

  @Test
  void namesWhatIsWrong() {
    assertReason(new ConsistencyProof(8, 7, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new ConsistencyProof(-1, 7, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new ConsistencyProof(1, Long.MAX_VALUE, List.of()), Reason.SIZE_OUT_OF_RANGE);
    assertReason(new ConsistencyProof(3, 7, List.of()), Reason.WRONG_PATH_LENGTH);
    assertReason(new ConsistencyProof(4, 7, List.of(Digest.ZERO)), Reason.ROOT_MISMATCH);
  }

  private void assertReason(ConsistencyProof proof, Reason reason) {
    assertThatThrownBy(() -> proof.verify(root(3), root(7)))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private static void assertRejected(ConsistencyProof proof, JournalRoot from, JournalRoot to) {
    Proofs.assertRejected(proof.toString(), () -> proof.verify(from, to));
  }

  private ConsistencyProof proof(int from, int to) {
    return new ConsistencyProof(from, to, tree.consistencyPath(from, to));
  }

  private JournalRoot root(int size) {
    return new JournalRoot(tree.root(size));
  }
}
