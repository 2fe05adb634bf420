package io.tallystick.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import org.junit.jupiter.api.Test;

/// Goal: a filter takes what fits all of its conditions and nothing else. Method: a journal that
/// two owners signed, its seal, and conditions that do and do not hold.
class JournalFilterTest {
  private final Fixtures fixtures = Fixtures.ledger();
  private final Submission submission = fixtures.single(1);
  private final ReferenceLedger log = ReferenceLedger.found(fixtures).block(submission);
  private final Leaf journal = leaf(2);
  private final long time = journal.timeMs();

  private Leaf leaf(int jsn) {
    try {
      return Leaf.decode(log.leaf(jsn));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private boolean takes(JournalFilter filter) throws Exception {
    return filter.matches(journal, submission.attestation());
  }

  @Test
  void allConditionsMustHold() throws Exception {
    JournalFilter signed = JournalFilter.ALL.signedBy(Fixtures.ALICE.publicKey().kid());
    assertThat(takes(JournalFilter.ALL)).isTrue();
    assertThat(takes(signed)).isTrue();
    assertThat(takes(JournalFilter.ALL.signedBy(Fixtures.CAROL.publicKey().kid()))).isFalse();
    assertThat(takes(signed.ofKind(Kind.APPEND))).isTrue();
    assertThat(takes(signed.ofKind(Kind.CLUE_DELETE))).isFalse();
    assertThat(takes(signed.fromTime(time).toTime(time + 1))).isTrue();
    assertThat(takes(signed.fromTime(time + 1))).isFalse();
    assertThat(takes(signed.toTime(time))).isFalse();
    assertThat(JournalFilter.ALL.toTime(time).endsBefore(journal)).isTrue();
  }

  @Test
  void aSealHasNoSignerAndNoKind() throws Exception {
    Leaf seal = leaf(3);
    assertThat(JournalFilter.ALL.fromTime(time).matches(seal, Bytes.EMPTY)).isTrue();
    assertThat(JournalFilter.ALL.ofKind(Kind.APPEND).matches(seal, Bytes.EMPTY)).isFalse();
  }

  @Test
  void refusesATimeThatHasNoLeaf() {
    assertThatIllegalArgumentException().isThrownBy(() -> JournalFilter.ALL.fromTime(-1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JournalFilter.ALL.fromTime(7).toTime(7))
        .withMessage("no time is from 7 to before 7");
  }

  @Test
  void kindsHaveWords() {
    assertThat(Kind.CLUE_DELETE.word()).isEqualTo("clueDelete");
    for (Kind kind : Kind.values()) {
      assertThat(Kind.ofWord(kind.word())).contains(kind);
    }
    assertThat(Kind.ofWord("seal")).isEmpty();
  }
}
