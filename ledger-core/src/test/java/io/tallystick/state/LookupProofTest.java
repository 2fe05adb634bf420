package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.LastSeal;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.SampleState;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a lookup proof says under a head what the head's last seal says of the key asked for, and
/// nothing else is believed. Method: the keys of two small logs; then each part replaced by one
/// that is true elsewhere. What a byte changes: {@link StateUnderSealTest}; forgeries: the vectors.
class LookupProofTest {
  private static final int SIZE = 8;

  private final SampleState log = SampleState.young();
  private final SignedHead head = log.head(SIZE);
  private final Bytes key = SampleState.key(5);
  private final LookupProof good = log.lookup(key, SIZE);

  @Test
  void tellsPresentDeletedAndNeverWrittenAsOfEachHead() throws Exception {
    assertPresent(key, SIZE, 6, "value 5 again");
    assertPresent(key, 6, 2, "value 5");
    assertThat(answer(key, 2)).isEqualTo(new StateAnswer.Absent(key, true));
    Bytes deleted = SampleState.key(3);
    assertPresent(deleted, 4, 2, "value 3");
    StateEntry tombstone = StateEntry.tombstone(deleted, new Jsn(4));
    assertThat(answer(deleted, 6)).isEqualTo(new StateAnswer.Deleted(tombstone));
    assertThat(answer(deleted, SIZE)).isEqualTo(new StateAnswer.Deleted(tombstone));
    Bytes never = Bytes.utf8("never");
    assertThat(answer(never, SIZE)).isEqualTo(new StateAnswer.Absent(never, true));
  }

  private void assertPresent(Bytes of, int size, long jsn, String value) throws Exception {
    assertThat(answer(of, size))
        .isInstanceOfSatisfying(
            StateAnswer.Present.class,
            present -> {
              assertThat(present.key()).isEqualTo(of);
              assertThat(present.entry().jsn()).isEqualTo(new Jsn(jsn));
              assertThat(log.value(present.entry()).value()).isEqualTo(Bytes.utf8(value));
            });
  }

  private StateAnswer answer(Bytes of, int size) throws Exception {
    return LookupProof.decode(log.lookup(of, size).encode()).verify(of, log.head(size));
  }

  @Test
  void doesNotCallAbsentNeverWrittenOnceTheFirstPartitionIsGone() throws Exception {
    SampleState folded = SampleState.folded();
    SignedHead newest = folded.head(24);
    Bytes gone = Bytes.utf8("gone");
    assertThat(folded.lookup(gone, 24).verify(gone, newest))
        .isEqualTo(new StateAnswer.Absent(gone, false));
    assertThat(folded.lookup(gone, 6).verify(gone, folded.head(6)))
        .isEqualTo(new StateAnswer.Deleted(StateEntry.tombstone(gone, new Jsn(4))));
    for (String carried : List.of("cold", "cold too")) {
      Bytes cold = Bytes.utf8(carried);
      assertThat(folded.lookup(cold, 24).verify(cold, newest))
          .isInstanceOf(StateAnswer.Present.class);
    }
  }

  @Test
  void rejectsAProofOfAnotherKey() {
    LookupProof other = log.lookup(SampleState.key(20), SIZE);
    assertReason(Reason.WRONG_KEY, other, key, head);
    // Under its own name it is refused too, where the way is another.
    assertReason(
        Reason.WRONG_PATH_LENGTH, new LookupProof(good.seal(), key, other.lookup()), key, head);
  }

  @Test
  void rejectsAnOlderSealAndTheForestOfAnOlderSeal() {
    for (int size : new int[] {2, 4, 6}) {
      LookupProof older = log.lookup(key, size);
      assertReason(Reason.WRONG_JSN, older, key, head);
      assertReason(
          Reason.ROOT_MISMATCH, new LookupProof(good.seal(), key, older.lookup()), key, head);
    }
    assertReason(Reason.WRONG_JSN, good, key, log.head(6));
  }

  @Test
  void rejectsTheSealOfAnotherLedgerAndOfAnotherLogOfTheSame() {
    SampleState sameLedger = SampleState.young(Fixtures.ledger(), 100);
    SampleState otherLedger = SampleState.young(Fixtures.ledger(Fixtures.TIME_MS + 1), 0);
    for (SampleState other : List.of(sameLedger, otherLedger)) {
      assertReason(Reason.ROOT_MISMATCH, other.lookup(key, SIZE), key, head);
    }
    // The other ledger wrote the same with the same salts, so that its forest is the same.
    StateLookup theirs = sameLedger.lookup(key, SIZE).lookup();
    assertReason(Reason.ROOT_MISMATCH, new LookupProof(good.seal(), key, theirs), key, head);
  }

  @Test
  void rejectsALeafThatIsNoSeal() {
    List<Digest> path = good.seal().path();
    assertReason(Reason.WRONG_TYPE, with(new LastSeal(log.leaf(6), path)), key, head);
    assertReason(Reason.MALFORMED, with(new LastSeal(Bytes.EMPTY, path)), key, head);
    assertReason(
        Reason.WRONG_PATH_LENGTH, with(new LastSeal(good.seal().seal(), List.of())), key, head);
  }

  private LookupProof with(LastSeal seal) {
    return new LookupProof(seal, key, good.lookup());
  }

  @Test
  void rejectsAnEmptyForestThatIsNotSealed() throws Exception {
    StateLookup none = new StateLookup(0, 0, List.of(), List.of());
    assertReason(Reason.ROOT_MISMATCH, log.lookup(key, SIZE, none), key, head);
    assertThat(log.lookup(key, 2, none).verify(key, log.head(2)))
        .isEqualTo(new StateAnswer.Absent(key, true));
  }

  @Test
  void refusesEveryOtherEncoding() {
    String hex = good.encode().hex();
    assertMalformed(hex.replaceFirst("^88181e", "88181f"), "type 31, want 30");
    assertMalformed(hex.replaceFirst("^88181e", "89181e"), "lookup proof has 9 items");
    assertMalformed(hex + "00", "1 bytes left over");
    assertMalformed(hex.substring(0, hex.length() - 2), "");
    assertMalformed("00".repeat(LookupProof.BYTES_MAX + 1), "proof of 262145 bytes");
  }

  private static void assertMalformed(String hex, String why) {
    assertThatThrownBy(() -> LookupProof.decode(Bytes.fromHex(hex)))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private static void assertReason(Reason reason, LookupProof proof, Bytes key, SignedHead head) {
    assertThatThrownBy(() -> proof.verify(key, head))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
