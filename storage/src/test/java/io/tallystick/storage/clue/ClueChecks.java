package io.tallystick.storage.clue;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.RangeProof;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Digest;
import io.tallystick.storage.clue.ClueModel.Appended;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/// Compares what an index answers with what a model says.
final class ClueChecks {
  private ClueChecks() {}

  /// Everything of every clue, but for proofs, of which some.
  static void assertIs(ClueIndex index, ClueModel model, SplittableRandom random) throws Exception {
    assertThat(index.cellCount()).isEqualTo(model.log().size());
    for (List<Appended> list : model.lists().values()) {
      assertIs(index, list, random);
    }
    Digest unknown = ClueModel.clueId(-1);
    assertThat(index.head(unknown)).isEmpty();
    assertThat(index.latest(unknown, Long.MAX_VALUE)).isEmpty();
    assertThat(index.root(unknown, 0)).isEqualTo(TreeHasher.EMPTY_ROOT);
  }

  static void assertIs(ClueIndex index, List<Appended> list, SplittableRandom random)
      throws Exception {
    Digest clueId = list.getFirst().clueId();
    int count = list.size();
    assertThat(index.head(clueId))
        .contains(new ClueHead(count, list.getLast().jsn(), ClueModel.deletedJsn(list)));
    List<ClueEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(ClueModel.entry(list, i));
    }
    assertThat(index.entries(clueId, 0, count)).isEqualTo(entries);
    ReferenceTree tree = ClueModel.tree(list);
    assertThat(index.root(clueId, count)).isEqualTo(tree.root(count));
    for (int run = 0; run < 5; run++) {
      assertEntry(index, list, random.nextInt(count));
      assertProof(index, list, tree, random);
    }
  }

  private static void assertEntry(ClueIndex index, List<Appended> list, int at) throws Exception {
    Digest clueId = list.getFirst().clueId();
    ClueEntry entry = ClueModel.entry(list, at);
    assertThat(index.entry(clueId, at)).isEqualTo(entry);
    assertThat(index.latest(clueId, entry.jsn())).contains(entry);
    Optional<ClueEntry> before =
        at == 0 ? Optional.empty() : Optional.of(ClueModel.entry(list, at - 1));
    assertThat(index.latest(clueId, entry.jsn() - 1)).isEqualTo(before);
    assertThat(index.latest(clueId, Long.MAX_VALUE))
        .contains(ClueModel.entry(list, list.size() - 1));
  }

  static void assertProof(
      ClueIndex index, List<Appended> list, ReferenceTree tree, SplittableRandom random)
      throws Exception {
    Digest clueId = list.getFirst().clueId();
    int size = random.nextInt(1, list.size() + 1);
    int first = random.nextInt(size);
    int count = random.nextInt(1, size - first + 1);
    assertThat(index.root(clueId, size)).as("root at %d", size).isEqualTo(tree.root(size));
    RangeProof proof = index.proof(clueId, first, count, size);
    assertThat(proof.roots())
        .as("%d from %d of %d", count, first, size)
        .isEqualTo(tree.outsideRange(first, count, size));
    byte[] hashes = new byte[3 + count * Digest.BYTES];
    index.leafHashes(clueId, first, count, hashes, 3);
    List<Digest> leaves = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      leaves.add(TreeHasher.leafHash(hashes, 3 + i * Digest.BYTES, Digest.BYTES));
    }
    proof.verify(leaves, new JournalRoot(tree.root(size)));
  }
}
