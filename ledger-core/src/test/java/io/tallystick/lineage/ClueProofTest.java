package io.tallystick.lineage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.SignedHead;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.ReferenceClues;
import io.tallystick.testkit.SampleClues;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: a clue proof says under a head what the head's last seal says, and nothing else is
/// believed. Method: every clue of a small log under every sealed head; then each part replaced by
/// one that is true elsewhere.
class ClueProofTest {
  private static final int SIZE = 18;
  private static final List<Integer> SEALED = List.of(2, 6, 9, 12, 15, SIZE);
  private static final List<String> CLUES =
      List.of("invoice 7", "draft", "contract", "order 1", "order 2", "never used");

  private final SampleClues log = SampleClues.small();
  private final SignedHead head = log.head(SIZE);

  @Test
  void answersForEveryClueUnderEverySealedHead() throws Exception {
    for (int size : SEALED) {
      ReferenceClues clues = log.clues(size);
      for (String clue : CLUES) {
        Digest id = log.clueId(clue);
        ClueProof proof = log.clueProof(clue, size);
        ClueState state = ClueProof.decode(proof.encode()).verify(id, log.head(size));
        TreeSize at = new TreeSize(size);
        assertThat(state)
            .isEqualTo(
                clues.journals(id).isEmpty()
                    ? new ClueState.NeverUsed(id, at)
                    : new ClueState.Used(id, at, clues.value(id)));
        assertThat(state.count()).isEqualTo(clues.journals(id).size());
      }
    }
  }

  @Test
  void tellsADeletedClueFromOneUsedAgain() throws ProofRejectedException {
    assertThat(used("draft", 9).isDeleted()).isFalse();
    assertThat(used("draft", 12).value().deletedJsn()).isEqualTo(9);
    assertThat(used("draft", SIZE).isDeleted()).isTrue();
    assertThat(used("contract", 15).value().deletedJsn()).isEqualTo(12);
    assertThat(used("contract", SIZE).value().deletedJsn()).isZero();
  }

  private ClueState.Used used(String clue, int size) throws ProofRejectedException {
    return (ClueState.Used) log.clueProof(clue, size).verify(log.clueId(clue), log.head(size));
  }

  @Test
  void rejectsTheSealOfAnOlderHead() {
    for (int size : SEALED.subList(0, 5)) {
      assertReason(Reason.WRONG_JSN, log.clueProof("invoice 7", size), "invoice 7");
    }
  }

  @Test
  void rejectsAHeadThatEndsInNoSeal() {
    // A head of size 17 ends in journal 16. Of size 16 the seal would have to be leaf 15.
    assertThatThrownBy(
            () -> log.clueProof("invoice 7", 17).verify(log.clueId("invoice 7"), log.head(17)))
        .hasMessage("WRONG_TYPE: leaf 16 is no seal");
    assertThatThrownBy(
            () -> log.clueProof("invoice 7", 15).verify(log.clueId("invoice 7"), log.head(16)))
        .hasMessage("WRONG_JSN: seal 14 is not the last leaf of 16");
  }

  @Test
  void rejectsTheSealOfAnotherLogOfTheSameLedger() {
    SampleClues other = SampleClues.found(100);
    for (int i = 2; i < SIZE - 1; i++) {
      other.append(List.of("order 1"));
    }
    other.seal();
    assertThat(other.strand()).isEqualTo(log.strand());
    ClueProof theirs = other.clueProof("order 1", SIZE);
    ClueProof good = log.clueProof("order 1", SIZE);
    assertReason(Reason.ROOT_MISMATCH, theirs, "order 1");
    assertReason(
        Reason.ROOT_MISMATCH, new ClueProof(theirs.seal(), good.path(), theirs.trie()), "order 1");
  }

  @Test
  void rejectsALeafThatIsNoSeal() {
    ClueProof good = log.clueProof("order 1", SIZE);
    assertReason(
        Reason.WRONG_TYPE, new ClueProof(log.leaf(16), good.path(), good.trie()), "order 1");
    assertReason(Reason.MALFORMED, new ClueProof(Bytes.EMPTY, good.path(), good.trie()), "order 1");
    assertReason(
        Reason.WRONG_PATH_LENGTH, new ClueProof(good.seal(), List.of(), good.trie()), "order 1");
  }

  @Test
  void rejectsTheTrieOfAnotherBlock() {
    ClueProof good = log.clueProof("invoice 7", SIZE);
    for (int size : SEALED.subList(0, 5)) {
      TrieProof stale = log.clueProof("invoice 7", size).trie();
      ClueProof mixed = new ClueProof(good.seal(), good.path(), stale);
      assertThatThrownBy(() -> mixed.verify(log.clueId("invoice 7"), head))
          .isInstanceOf(ProofRejectedException.class);
    }
  }

  /// What is shown of another clue says the truth about this one, or nothing: where both end at the
  /// same node, the two proofs are the same.
  @Test
  void takesNoProofOfAnotherClueForAnythingButTheTruth() throws Exception {
    int rejected = 0;
    for (String clue : CLUES) {
      ClueState truth = log.clueProof(clue, SIZE).verify(log.clueId(clue), head);
      for (String other : CLUES) {
        ClueProof proof = log.clueProof(other, SIZE);
        if (proof.equals(log.clueProof(clue, SIZE))) {
          assertThat(proof.verify(log.clueId(clue), head)).isEqualTo(truth);
        } else {
          assertThatThrownBy(() -> proof.verify(log.clueId(clue), head))
              .as("%s by the proof of %s", clue, other)
              .isInstanceOf(ProofRejectedException.class);
          rejected++;
        }
      }
    }
    assertThat(rejected).isGreaterThan(20);
  }

  @Test
  void rejectsCountsAndDeletionsThatNoLogOfThatSizeHas() {
    assertVerdict(new ClueValue(8, Digest.ZERO, 0), null);
    assertVerdict(new ClueValue(9, Digest.ZERO, 0), Reason.WRONG_SIZE);
    assertVerdict(new ClueValue(1, Digest.ZERO, 8), null);
    assertVerdict(new ClueValue(1, Digest.ZERO, 9), Reason.WRONG_JSN);
  }

  /// A seal at jsn 9 that says this of `order 1`.
  private void assertVerdict(ClueValue value, @Nullable Reason reason) {
    SampleClues falselySealed = SampleClues.found(0);
    for (int i = 0; i < 7; i++) {
      falselySealed.append(List.of("order 1"));
    }
    ReferenceClues clues = falselySealed.clues(9);
    clues.put(falselySealed.clueId("order 1"), value);
    falselySealed.seal(clues.root());
    ClueProof proof = falselySealed.clueProof("order 1", 10, clues);
    try {
      ClueState state = proof.verify(falselySealed.clueId("order 1"), falselySealed.head(10));
      assertThat(reason).isNull();
      assertThat(state.count()).isEqualTo(value.count());
    } catch (ProofRejectedException e) {
      assertThat(e.reason()).isEqualTo(reason);
    }
  }

  @Test
  void refusesEveryOtherEncoding() {
    Bytes good = log.clueProof("order 1", SIZE).encode();
    assertMalformed(good.hex().replaceFirst("^840b", "840c"), "type 12");
    assertMalformed(good.hex().replaceFirst("^840b", "850b"), "clue proof has 5 items");
    assertMalformed(good.hex() + "00", "1 bytes left over");
    assertMalformed(good.slice(0, good.size() - 1).hex(), "");
  }

  private static void assertMalformed(String hex, String why) {
    assertThatThrownBy(() -> ClueProof.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private void assertReason(Reason reason, ClueProof proof, String clue) {
    assertThatThrownBy(() -> proof.verify(log.clueId(clue), head))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
