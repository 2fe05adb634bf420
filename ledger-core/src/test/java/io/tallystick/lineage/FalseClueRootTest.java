package io.tallystick.lineage;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.SampleClues;
import io.tallystick.testkit.reference.ReferenceTree;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: what a service itself seals is still not believed where the journals contradict it.
/// Method: logs with correctly signed heads whose last seal holds a false clue root, all proofs
/// right.
class FalseClueRootTest {
  private static final String CLUE = "order 1";

  /// Journals 2 to 5, of which 4 names another clue and 5 deletes the clue; the seal is leaf 6.
  private final SampleClues log =
      SampleClues.found(0)
          .append(List.of(CLUE))
          .append(List.of(CLUE, "other"))
          .append(List.of("other"))
          .delete(CLUE);

  @Test
  void theTruthIsAccepted() throws Exception {
    LineageProof proof = sealed(List.of(log.leaf(2), log.leaf(3), log.leaf(5)), 5);
    proof.verify(log.clueId(CLUE), log.head(7));
  }

  @Test
  void rejectsAJournalThatDoesNotNameTheClue() {
    assertRejected(
        "WRONG_CLUE: journal 4 does not name",
        List.of(log.leaf(2), log.leaf(3), log.leaf(4), log.leaf(5)),
        5);
  }

  @Test
  void rejectsJournalsOutOfOrder() {
    assertRejected("WRONG_JSN: jsn 2 behind 3", List.of(log.leaf(3), log.leaf(2), log.leaf(5)), 5);
    assertRejected("WRONG_JSN: jsn 2 behind 2", List.of(log.leaf(2), log.leaf(2), log.leaf(5)), 5);
  }

  @Test
  void rejectsJournalsOutOfOrderInTwoRunsThatAreJoined() throws Exception {
    List<Bytes> leaves = List.of(log.leaf(3), log.leaf(2));
    LineageProof both = sealed(leaves, 0);
    List<Bytes> hashes = hashes(leaves);
    ReferenceTree tree = new ReferenceTree(hashes);
    List<VerifiedLineage> runs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      runs.add(
          new LineageProof(both.clue(), i, tree.outsideRange(i, 1, 2), List.of(leaves.get(i)))
              .verify(log.clueId(CLUE), log.head(7)));
    }
    assertThatThrownBy(() -> runs.get(0).joined(runs.get(1)))
        .hasMessage("WRONG_JSN: jsn 2 behind 3");
  }

  @Test
  void rejectsLeavesThatAreNoJournals() {
    assertRejected("WRONG_TYPE", List.of(log.leaf(0), log.leaf(5)), 5);
    assertRejected("WRONG_TYPE", List.of(log.leaf(1), log.leaf(5)), 5);
    assertRejected("MALFORMED", List.of(Bytes.utf8("no leaf"), log.leaf(5)), 5);
  }

  @Test
  void rejectsAJournalBehindTheHead() {
    SampleClues longer = SampleClues.found(0);
    for (int i = 2; i < 9; i++) {
      longer.append(List.of(CLUE));
    }
    assertRejected("WRONG_JSN: journal 6 in a log of 7", List.of(log.leaf(2), longer.leaf(6)), 0);
    assertRejected("WRONG_JSN: journal 8 in a log of 7", List.of(log.leaf(2), longer.leaf(8)), 0);
  }

  /// Its clue ids are those of the other ledger, so the clue's own is put in by hand.
  @Test
  void rejectsTheJournalOfAnotherLedger() {
    Fixtures other = Fixtures.ledger();
    String ledger = other.strand().ledger().digest().hex();
    String ours = log.strand().ledger().digest().hex();
    Bytes moved = Bytes.fromHex(log.leaf(2).hex().replace(ours, ledger));
    assertRejected("WRONG_LEDGER", List.of(moved), 0);
  }

  @Test
  void rejectsADeletionThatIsNotTheLastJournal() {
    List<Bytes> deleted = List.of(log.leaf(2), log.leaf(3), log.leaf(5));
    assertRejected("WRONG_JSN: deleted by 0, its last journal says 5", deleted, 0);
    assertRejected("WRONG_JSN: deleted by 3, its last journal says 5", deleted, 3);
    List<Bytes> notDeleted = List.of(log.leaf(2), log.leaf(3));
    assertRejected("WRONG_JSN: deleted by 3, its last journal says 0", notDeleted, 3);
    assertRejected("WRONG_JSN: deleted by 5, its last journal says 0", notDeleted, 5);
  }

  /// The clue's own tree must hash leaf hashes as leaves, not take them for leaf hashes.
  @Test
  void rejectsATreeOfLeafHashesThatAreNotHashedAgain() {
    List<Bytes> leaves = List.of(log.leaf(2), log.leaf(3), log.leaf(5));
    ReferenceTree once = new ReferenceTree(leaves);
    LineageProof proof = sealed(leaves, new ClueValue(3, once.root(3), 5));
    assertThatThrownBy(() -> proof.verify(log.clueId(CLUE), log.head(7)))
        .hasMessageStartingWith("ROOT_MISMATCH");
  }

  private void assertRejected(String why, List<Bytes> leaves, long deletedJsn) {
    SampleClues fresh =
        SampleClues.found(0)
            .append(List.of(CLUE))
            .append(List.of(CLUE, "other"))
            .append(List.of("other"))
            .delete(CLUE);
    LineageProof proof = sealed(fresh, leaves, value(leaves, deletedJsn));
    assertThatThrownBy(() -> proof.verify(fresh.clueId(CLUE), fresh.head(7)))
        .hasMessageStartingWith(why);
  }

  private LineageProof sealed(List<Bytes> leaves, long deletedJsn) {
    return sealed(leaves, value(leaves, deletedJsn));
  }

  private LineageProof sealed(List<Bytes> leaves, ClueValue value) {
    return sealed(log, leaves, value);
  }

  private static ClueValue value(List<Bytes> leaves, long deletedJsn) {
    ReferenceTree tree = new ReferenceTree(hashes(leaves));
    return new ClueValue(leaves.size(), tree.root(leaves.size()), deletedJsn);
  }

  private static List<Bytes> hashes(List<Bytes> leaves) {
    ReferenceTree tree = new ReferenceTree(leaves);
    List<Bytes> hashes = new ArrayList<>();
    for (Digest hash : tree.leafHashes(0, leaves.size())) {
      hashes.add(hash.toBytes());
    }
    return hashes;
  }

  /// Seals the log with a trie that holds `value`, and shows these leaves as the whole lineage.
  private static LineageProof sealed(SampleClues log, List<Bytes> leaves, ClueValue value) {
    ReferenceClues clues = log.clues(log.size());
    clues.put(log.clueId(CLUE), value);
    log.seal(clues.root());
    return new LineageProof(log.clueProof(CLUE, log.size(), clues), 0, List.of(), leaves);
  }
}
