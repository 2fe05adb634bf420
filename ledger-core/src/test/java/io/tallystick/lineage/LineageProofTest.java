package io.tallystick.lineage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.SignedHead;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.SampleClues;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Goal: a clue's journals are believed only as the sealed trie has them, and called complete only
/// where they are. Method: every run of every clue of a small log; then journals withheld, swapped,
/// added and taken from elsewhere.
class LineageProofTest {
  private static final int SIZE = 18;
  private static final String CLUE = "invoice 7";
  private static final List<Long> JSNS = List.of(2L, 4L, 6L, 10L, 16L);

  private final SampleClues log = SampleClues.small();
  private final SignedHead head = log.head(SIZE);
  private final Digest id = log.clueId(CLUE);

  @Test
  void showsAllJournalsOfAClue() throws Exception {
    VerifiedLineage lineage = verify(log.lineage(CLUE, SIZE));
    assertThat(jsns(lineage.entries())).isEqualTo(JSNS);
    assertThat(lineage.isComplete()).isTrue();
    assertThat(lineage.state().size()).isEqualTo(new TreeSize(SIZE));
  }

  @Test
  void showsEveryRunAndKnowsWhetherItIsAll() throws Exception {
    for (int first = 0; first < JSNS.size(); first++) {
      for (int count = 1; count <= JSNS.size() - first; count++) {
        LineageProof proof = log.lineage(CLUE, first, count, SIZE);
        VerifiedLineage run = verify(LineageProof.decode(proof.encode()));
        assertThat(jsns(run.entries())).isEqualTo(JSNS.subList(first, first + count));
        assertThat(run.first()).isEqualTo(first);
        assertThat(run.isComplete()).isEqualTo(count == JSNS.size());
      }
    }
  }

  /// Deletions in the middle and at the end.
  @Test
  void showsEveryRunOfADeletedClue() throws Exception {
    for (String clue : List.of("draft", "contract")) {
      for (int first = 0; first < 3; first++) {
        for (int count = 1; count <= 3 - first; count++) {
          VerifiedLineage run =
              log.lineage(clue, first, count, SIZE).verify(log.clueId(clue), head);
          assertThat(run.entries()).hasSize(count);
        }
      }
      VerifiedLineage all = log.lineage(clue, SIZE).verify(log.clueId(clue), head);
      assertThat(all.entries().stream().map(LineageEntry::deletesClue).toList())
          .isEqualTo(List.of(false, clue.equals("contract"), clue.equals("draft")));
    }
  }

  /// What was the clue's whole lineage at any size of the log, from a proof under the newest head.
  @Test
  void isCompleteAtEveryOlderSizeThatItShowsTheEndOf() throws Exception {
    for (int count = 1; count <= JSNS.size(); count++) {
      VerifiedLineage run = verify(log.lineage(CLUE, 0, count, SIZE));
      for (int size = 0; size <= SIZE; size++) {
        List<Long> want = below(size);
        boolean shown = want.size() < count || count == JSNS.size();
        TreeSize at = new TreeSize(size);
        if (shown) {
          assertThat(jsns(run.completeAt(at))).as("%d shown at %d", count, size).isEqualTo(want);
          assertThat(run.countAt(at)).isEqualTo(want.size());
        } else {
          assertMissing(() -> run.completeAt(at));
        }
      }
      assertThatThrownBy(() -> run.countAt(new TreeSize(SIZE + 1)))
          .hasMessage("SIZE_OUT_OF_RANGE: size 19, proven up to 18");
    }
  }

  @Test
  void countsWithAPageWhereItShowsBothSidesOfASize() throws Exception {
    VerifiedLineage page = verify(log.lineage(CLUE, 2, 2, SIZE));
    assertThat(page.countAt(new TreeSize(7))).isEqualTo(3);
    assertThat(page.countAt(new TreeSize(10))).isEqualTo(3);
    assertMissing(() -> page.countAt(new TreeSize(6)));
    assertMissing(() -> page.countAt(new TreeSize(11)));
    assertMissing(() -> page.completeAt(new TreeSize(7)));
    VerifiedLineage last = verify(log.lineage(CLUE, 3, 2, SIZE));
    assertThat(last.countAt(new TreeSize(SIZE))).isEqualTo(5);
  }

  @Test
  void joinsRunsThatFollowEachOtherUnderOneHead() throws Exception {
    VerifiedLineage one = verify(log.lineage(CLUE, 0, 2, SIZE));
    VerifiedLineage two = verify(log.lineage(CLUE, 2, 3, SIZE));
    assertThat(one.joined(two)).isEqualTo(verify(log.lineage(CLUE, SIZE)));
    assertThatThrownBy(() -> two.joined(one)).hasMessageStartingWith("MISSING");
    assertThatThrownBy(() -> one.joined(verify(log.lineage(CLUE, 3, 2, SIZE))))
        .hasMessageStartingWith("MISSING");
    VerifiedLineage older = log.lineage(CLUE, 2, 2, 12).verify(id, log.head(12));
    assertThatThrownBy(() -> one.joined(older)).hasMessageStartingWith("WRONG_SIZE");
  }

  @Test
  void rejectsALineageWithoutItsNewestOrAMiddleJournal() {
    LineageProof all = log.lineage(CLUE, SIZE);
    for (int i = 0; i < JSNS.size(); i++) {
      List<Bytes> leaves = new ArrayList<>(all.leaves());
      leaves.remove(i);
      assertRejected(withLeaves(all, leaves));
      for (int first = 0; first <= 1; first++) {
        assertRejected(new LineageProof(all.clue(), first, all.roots(), leaves));
      }
    }
  }

  @Test
  void rejectsSwappedTwiceShownAndForeignJournals() {
    LineageProof all = log.lineage(CLUE, SIZE);
    for (int i = 1; i < JSNS.size(); i++) {
      List<Bytes> swapped = new ArrayList<>(all.leaves());
      Collections.swap(swapped, i - 1, i);
      assertReason(Reason.ROOT_MISMATCH, withLeaves(all, swapped));
      List<Bytes> foreign = new ArrayList<>(all.leaves());
      foreign.set(i, log.leaf(13));
      assertReason(Reason.ROOT_MISMATCH, withLeaves(all, foreign));
      List<Bytes> twice = new ArrayList<>(all.leaves());
      twice.add(i, all.leaves().get(i));
      assertRejected(withLeaves(all, twice));
    }
    assertReason(Reason.SIZE_OUT_OF_RANGE, withLeaves(all, List.of()));
  }

  @Test
  void rejectsARangeAtAnotherPlace() {
    LineageProof page = log.lineage(CLUE, 1, 2, SIZE);
    for (long first : new long[] {0, 2, 3, 4, 5, Long.MAX_VALUE}) {
      assertRejected(new LineageProof(page.clue(), first, page.roots(), page.leaves()));
    }
  }

  @Test
  void rejectsTheJournalsOfAnotherClue() {
    LineageProof draft = log.lineage("draft", SIZE);
    LineageProof mixed =
        new LineageProof(log.clueProof(CLUE, SIZE), draft.first(), draft.roots(), draft.leaves());
    assertRejected(mixed);
    assertRejected(draft);
    assertThatThrownBy(() -> draft.verify(log.clueId("never used"), head))
        .isInstanceOf(ProofRejectedException.class);
  }

  @Test
  void rejectsJournalsOfAClueThatWasNeverUsed() {
    LineageProof all = log.lineage(CLUE, SIZE);
    LineageProof absent =
        new LineageProof(log.clueProof("never used", SIZE), all.first(), all.roots(), all.leaves());
    assertThatThrownBy(() -> absent.verify(log.clueId("never used"), head))
        .hasMessageStartingWith("MISSING: 5 journals of a clue that was never used");
  }

  @Test
  void refusesEveryOtherEncoding() {
    Bytes good = log.lineage(CLUE, SIZE).encode();
    assertMalformed(good.hex().replaceFirst("^850c", "850b"), "type 11");
    assertMalformed(good.hex().replaceFirst("^850c", "840c"), "lineage proof has 4 items");
    assertMalformed(good.hex() + "00", "1 bytes left over");
    assertMalformed(good.slice(0, good.size() - 1).hex(), "");
  }

  private static void assertMalformed(String hex, String why) {
    assertThatThrownBy(() -> LineageProof.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private VerifiedLineage verify(LineageProof proof) throws ProofRejectedException {
    return proof.verify(id, head);
  }

  private static LineageProof withLeaves(LineageProof proof, List<Bytes> leaves) {
    return new LineageProof(proof.clue(), proof.first(), proof.roots(), leaves);
  }

  private static List<Long> below(long size) {
    return JSNS.stream().filter(jsn -> jsn < size).toList();
  }

  private static List<Long> jsns(List<LineageEntry> entries) {
    return entries.stream().map(LineageEntry::jsn).toList();
  }

  private void assertReason(Reason reason, LineageProof proof) {
    assertThatThrownBy(() -> verify(proof))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private void assertRejected(LineageProof proof) {
    assertThatThrownBy(() -> verify(proof)).isInstanceOf(ProofRejectedException.class);
  }

  private static void assertMissing(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.MISSING));
  }
}
