package io.tallystick.client.internal.read;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Every run of every tree up to 20 leaves against the recursive definition, and every single
/// change of a leaf, a path hash, an index or the size refused.
class LeafRunTest {
  private static final int SIZE_MAX = 20;

  private static InclusionProof proof(ReferenceTree tree, int index, int size) {
    return new InclusionProof(index, size, tree.inclusionPath(index, size));
  }

  @Test
  void acceptsEveryRunAndRefusesEveryChangeOfIt() {
    ReferenceTree tree = ReferenceTree.ofSize(SIZE_MAX);
    for (int size = 1; size <= SIZE_MAX; size++) {
      for (int first = 0; first < size; first++) {
        for (int last = first; last < size; last++) {
          check(tree, first, last, size);
        }
      }
    }
  }

  private static void check(ReferenceTree tree, int first, int last, int size) {
    InclusionProof low = proof(tree, first, size);
    InclusionProof high = proof(tree, last, size);
    List<Digest> leaves = tree.leafHashes(first, last + 1);
    JournalRoot root = new JournalRoot(tree.root(size));
    assertThatCode(() -> LeafRun.verify(low, high, leaves, root)).doesNotThrowAnyException();
    for (int i = 0; i < leaves.size(); i++) {
      refuses(low, high, changed(leaves, i), root);
    }
    for (int i = 0; i < low.path().size(); i++) {
      refuses(new InclusionProof(first, size, changed(low.path(), i)), high, leaves, root);
    }
    for (int i = 0; i < high.path().size(); i++) {
      refuses(low, new InclusionProof(last, size, changed(high.path(), i)), leaves, root);
    }
    refuses(low, new InclusionProof(last + 1, size, high.path()), leaves, root);
    refuses(low, new InclusionProof(last, size + 1, high.path()), leaves, root);
    refuses(low, high, leaves, new JournalRoot(Digest.ZERO));
  }

  private static void refuses(
      InclusionProof low, InclusionProof high, List<Digest> leaves, JournalRoot root) {
    assertThatThrownBy(() -> LeafRun.verify(low, high, leaves, root))
        .isInstanceOf(ProofRejectedException.class);
  }

  private static List<Digest> changed(List<Digest> hashes, int index) {
    List<Digest> changed = new ArrayList<>(hashes);
    changed.set(index, Digest.ZERO);
    return changed;
  }
}
