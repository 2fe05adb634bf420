package io.tallystick.merkle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Goal: an operation is proven to be among those of its request, and at its place alone. Method:
/// all places in requests of up to 17 operations.
class OpsRootTest {
  @Test
  void eachOperationIsProvenAtItsPlace() throws ProofRejectedException {
    for (int size = 1; size <= 17; size++) {
      List<Bytes> ops = IntStream.range(0, size).mapToObj(i -> Bytes.utf8("op " + i)).toList();
      OpsRoot root = OpsRoot.over(ops);
      for (int index = 0; index < size; index++) {
        InclusionProof proof = OpsRoot.proof(ops, index);
        assertThat(proof.index()).isEqualTo(index);
        assertThat(proof.size()).isEqualTo(size);
        for (int other = 0; other < size; other++) {
          assertThat(proof.rootFrom(TreeHasher.leafHash(ops.get(other))).equals(root.digest()))
              .isEqualTo(other == index);
        }
      }
      assertThatThrownBy(() -> OpsRoot.proof(ops, ops.size()))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
