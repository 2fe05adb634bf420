package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import org.junit.jupiter.api.Test;

/// Goal: the tree the auditor grows has RFC 9162's root at every size. Method: the recursive
/// definition.
class CompactRangeTest {
  private static final int SIZE_MAX = 300;

  @Test
  void hasTheRootOfTheRecursiveDefinitionAtEverySize() {
    ReferenceTree reference = ReferenceTree.ofSize(SIZE_MAX);
    CompactRange tree = new CompactRange();
    for (int size = 0; size <= SIZE_MAX; size++) {
      assertThat(tree.size()).isEqualTo(size);
      assertThat(tree.root()).as("size %d", size).isEqualTo(reference.root(size));
      if (size < SIZE_MAX) {
        byte[] padded = new byte[3 + Digest.BYTES];
        reference.leafHash(size).copyInto(padded, 3);
        tree.append(padded, 3);
      }
    }
  }
}
