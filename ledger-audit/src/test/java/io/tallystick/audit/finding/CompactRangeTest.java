package io.tallystick.audit.finding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.model.Digest;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.SplittableRandom;
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

  /// Chunks of any length; of some of their leaves the root is asked.
  @Test
  void hasTheSameRootsOfCompleteSubtrees() {
    ReferenceTree reference = ReferenceTree.ofSize(SIZE_MAX);
    SplittableRandom random = new SplittableRandom(29);
    for (int run = 0; run < 50; run++) {
      CompactRange tree = new CompactRange();
      int asked = random.nextInt(1, 40);
      while (tree.size() < SIZE_MAX) {
        int first = (int) tree.size();
        int count = random.nextInt(1, Math.min(SIZE_MAX - first, 1 + (1 << run % 9)) + 1);
        byte[] hashes = new byte[count * Digest.BYTES];
        for (int i = 0; i < count; i++) {
          reference.leafHash(first + i).copyInto(hashes, i * Digest.BYTES);
        }
        CompleteSubtrees subtrees = new CompleteSubtrees(first, hashes, count, BatchHasher.cpu());
        for (int i = 0; i < count; i++) {
          tree.append(subtrees, i);
          assertThat(tree.size()).isEqualTo(first + i + 1);
          if (random.nextInt(asked) == 0) {
            assertThat(tree.root())
                .as("size %d", first + i + 1)
                .isEqualTo(reference.root(first + i + 1));
          }
        }
      }
      assertThat(tree.root()).isEqualTo(reference.root(SIZE_MAX));
    }
  }

  @Test
  void takesNoLeafBehindAGap() {
    CompleteSubtrees subtrees = new CompleteSubtrees(1, new byte[64], 2, BatchHasher.cpu());
    assertThatThrownBy(() -> new CompactRange().append(subtrees, 0))
        .isInstanceOf(AssertionError.class);
  }
}
