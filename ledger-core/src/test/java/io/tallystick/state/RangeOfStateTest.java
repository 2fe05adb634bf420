package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SampleState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: a range proof says under a head all that the state holds of the keys asked for, and no
/// part of it less. Method: ranges of a small log; then each part replaced by one that is true
/// elsewhere.
class RangeOfStateTest {
  private static final int SIZE = 8;
  private static final Optional<Bytes> NO_END = Optional.empty();

  private final SampleState log = SampleState.young();
  private final SignedHead head = log.head(SIZE);

  @Test
  void showsTheNewestOfEveryKeyOfTheRangeAndNoTombstones() throws Exception {
    List<StateEntry> some = verified(SampleState.key(2), Optional.of(SampleState.key(13)), SIZE);
    assertThat(some.stream().map(StateEntry::key))
        .containsExactlyElementsOf(keys(2, 4, 5, 6, 7, 8, 9, 10, 12));
    assertThat(some.stream().map(entry -> entry.jsn().value()))
        .containsExactly(2L, 2L, 6L, 2L, 4L, 2L, 2L, 2L, 2L);
    List<StateEntry> all = verified(Bytes.EMPTY, NO_END, SIZE);
    assertThat(all).hasSize(26);
    assertThat(all.getFirst().key().hex()).isEqualTo("00");
    assertThat(all.getLast().key().size()).isEqualTo(256);
  }

  private static List<Bytes> keys(int... numbers) {
    List<Bytes> keys = new ArrayList<>();
    for (int number : numbers) {
      keys.add(SampleState.key(number));
    }
    return keys;
  }

  private List<StateEntry> verified(Bytes from, Optional<Bytes> to, int size) throws Exception {
    return RangeOfState.decode(log.range(from, to, size).encode()).verify(from, to, log.head(size));
  }

  @Test
  void showsThatARangeIsEmpty() throws Exception {
    assertThat(verified(Bytes.utf8("l"), Optional.of(Bytes.utf8("m")), SIZE)).isEmpty();
    assertThat(verified(SampleState.key(3), Optional.of(SampleState.key(4)), SIZE)).isEmpty();
    assertThat(verified(Bytes.EMPTY, NO_END, 2)).isEmpty();
  }

  @Test
  void takesAPageThatEndsEarlyAndNoneThatGoesFurther() throws Exception {
    Bytes from = SampleState.key(2);
    Bytes to = Bytes.utf8("key 09\0");
    RangeOfState page = log.range(from, Optional.of(to), SIZE);
    for (Optional<Bytes> wanted : List.of(NO_END, Optional.of(to))) {
      assertThat(page.verify(from, wanted, head).getLast().key()).isEqualTo(SampleState.key(9));
    }
    Optional<Bytes> shorter = Optional.of(SampleState.key(9));
    assertReason(Reason.WRONG_KEY, page, from, shorter);
    assertReason(Reason.WRONG_KEY, log.range(from, NO_END, SIZE), from, shorter);
    assertReason(Reason.WRONG_KEY, page, SampleState.key(1), NO_END);
    assertReason(Reason.WRONG_KEY, page, SampleState.key(3), NO_END);
  }

  @Test
  void rejectsARangeThatHoldsNoKey() {
    Bytes from = SampleState.key(9);
    for (Bytes to : List.of(from, SampleState.key(8))) {
      StateRange range = log.range(from, NO_END, SIZE).range();
      RangeOfState backwards = log.range(from, Optional.of(to), SIZE, range);
      assertReason(Reason.WRONG_KEY, backwards, from, Optional.of(to));
    }
  }

  @Test
  void rejectsAPartitionThatShowsLessThanTheOthers() {
    Bytes from = SampleState.key(2);
    StateRange whole = log.range(from, NO_END, SIZE).range();
    StateRange cut = log.range(from, Optional.of(SampleState.key(9)), SIZE).range();
    for (int i = 0; i < 2; i++) {
      List<StateRange.Part> mixed = new ArrayList<>(whole.partitions());
      mixed.set(i, cut.partitions().get(i));
      assertReason(
          Reason.WRONG_KEY, log.range(from, NO_END, SIZE, new StateRange(mixed)), from, NO_END);
    }
    List<StateRange.Part> older = whole.partitions().subList(0, 1);
    assertReason(
        Reason.ROOT_MISMATCH, log.range(from, NO_END, SIZE, new StateRange(older)), from, NO_END);
  }

  @Test
  void rejectsAnotherSealAndTheForestOfAnother() {
    Bytes from = SampleState.key(2);
    RangeOfState older = log.range(from, NO_END, 6);
    assertReason(Reason.WRONG_JSN, older, from, NO_END);
    assertReason(Reason.ROOT_MISMATCH, log.range(from, NO_END, SIZE, older.range()), from, NO_END);
    SampleState other = SampleState.young(Fixtures.ledger(Fixtures.TIME_MS + 1), 0);
    assertReason(Reason.ROOT_MISMATCH, other.range(from, NO_END, SIZE), from, NO_END);
  }

  @Test
  void showsAThousandKeysAtMost() throws Exception {
    List<DraftOp> ops = new ArrayList<>();
    for (int i = 0; i <= StateRange.RESULTS_MAX; i++) {
      ops.add(DraftOp.put(Bytes.utf8(String.format(Locale.ROOT, "%04d", i)), Bytes.EMPTY));
    }
    SampleState large = SampleState.found(new StateParams(1 << 21, 1, 40, 32, 1), 0).block(ops);
    Optional<Bytes> end = Optional.of(Bytes.utf8("1000"));
    assertThat(large.range(Bytes.EMPTY, end, 4).verify(Bytes.EMPTY, NO_END, large.head(4)))
        .hasSize(1000);
    assertThatThrownBy(
            () -> large.range(Bytes.EMPTY, NO_END, 4).verify(Bytes.EMPTY, NO_END, large.head(4)))
        .hasMessage("SIZE_OUT_OF_RANGE: 1001 keys, at most 1000");
  }

  @Test
  void refusesEveryOtherEncoding() {
    String hex = log.range(SampleState.key(2), NO_END, SIZE).encode().hex();
    assertMalformed(hex.replaceFirst("^87181f", "87181e"), "type 30, want 31");
    assertMalformed(hex.replaceFirst("^87181f", "88181f"), "range proof has 8 items");
    assertMalformed(hex + "00", "1 bytes left over");
    assertMalformed(hex.substring(0, hex.length() - 2), "");
    assertMalformed("00".repeat(RangeOfState.BYTES_MAX + 1), "proof of 4194305 bytes");
  }

  private static void assertMalformed(String hex, String why) {
    assertThatThrownBy(() -> RangeOfState.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private void assertReason(Reason reason, RangeOfState proof, Bytes from, Optional<Bytes> to) {
    assertThatThrownBy(() -> proof.verify(from, to, head))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
