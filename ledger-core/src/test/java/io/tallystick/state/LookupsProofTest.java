package io.tallystick.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.head.SignedHead;
import io.tallystick.merkle.forest.LookupTree;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.testkit.SampleState;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Goal: a proof of several keys, and the file of it, say under a head what the head's last seal
/// says of each of the keys asked for, and no attack on it is believed. Method: keys of a log with
/// two partitions; then each part replaced by one that leaves something out, or shows too much.
class LookupsProofTest {
  private static final int SIZE = 8;

  /// Put in the newest partition; put in the older one; deleted in the newest; never written. Each
  /// meets another slot of the newest partition.
  private static final List<Bytes> KEYS =
      List.of(
          Bytes.wrap(new byte[1]), SampleState.key(7), SampleState.key(11), Bytes.utf8("never"));

  private final SampleState log = SampleState.young();
  private final SignedHead head = log.head(SIZE);
  private final ReferenceForest forest = log.forest(SIZE);
  private final LookupsProof good = log.lookups(KEYS, SIZE);
  private final List<List<Bytes>> sought = ReferenceForestProofs.soughtIn(forest, KEYS);

  @Test
  void answersAsProofsOfOneKeyDo() throws Exception {
    List<StateAnswer> want = new ArrayList<>();
    for (Bytes key : KEYS) {
      want.add(log.lookup(key, SIZE).verify(key, head));
    }
    LookupsProof decoded = LookupsProof.decode(good.encode());
    assertThat(decoded).isEqualTo(good);
    assertThat(decoded.verify(KEYS, head)).isEqualTo(want);
    List<Bytes> none = KEYS.subList(0, 2);
    assertThat(log.lookups(none, 2).verify(none, log.head(2)))
        .isEqualTo(none.stream().map(key -> new StateAnswer.Absent(key, true)).toList());
  }

  @Test
  void aPageIsOfTheFirstKeysAskedFor() throws Exception {
    List<Bytes> more = new ArrayList<>(KEYS);
    more.add(Bytes.utf8("zero"));
    assertThat(good.verify(more, head)).hasSize(KEYS.size());
    assertReason(Reason.WRONG_KEY, good, KEYS.subList(0, 3));
    assertReason(Reason.WRONG_KEY, good, KEYS.subList(1, 4));
    more.addFirst(SampleState.key(0));
    assertReason(Reason.WRONG_KEY, good, more);
  }

  @Test
  void rejectsAnOlderPartForAKeyThatANewerOneHolds() {
    List<Bytes> left = List.of(KEYS.get(1), KEYS.get(3));
    assertThat(sought).isEqualTo(List.of(left, KEYS));
    List<Bytes> more = List.of(KEYS.get(1), KEYS.get(2), KEYS.get(3));
    // Where the newest part keeps the key back, and where it does not.
    assertReason(Reason.WRONG_KEY, forged(List.of(more, without(KEYS, 2))), KEYS);
    assertReason(Reason.WRONG_KEY, forged(List.of(more, KEYS)), KEYS);
  }

  @Test
  void rejectsAKeyThatIsDropped() {
    for (int i = 0; i < KEYS.size(); i++) {
      List<Bytes> fewer = without(KEYS, i);
      List<List<Bytes>> ofFewer = ReferenceForestProofs.soughtIn(forest, fewer);
      assertReason(Reason.WRONG_KEY, forged(ofFewer), KEYS);
      if (i < KEYS.size() - 1) { // without the last one it is a page
        assertReason(Reason.WRONG_KEY, log.lookups(fewer, SIZE), KEYS);
      }
      assertReason(Reason.WRONG_KEY, log.lookups(fewer, SIZE, good.lookups()), fewer);
    }
  }

  private static List<Bytes> without(List<Bytes> keys, int index) {
    List<Bytes> fewer = new ArrayList<>(keys);
    fewer.remove(index);
    return fewer;
  }

  @Test
  void rejectsAnExtraSlot() {
    for (int part = 0; part < 2; part++) {
      List<List<Bytes>> more = new ArrayList<>(sought);
      List<Bytes> keys = new ArrayList<>(sought.get(part));
      keys.add(part == 0 ? SampleState.key(15) : Bytes.fromHex("ff"));
      more.set(part, keys);
      assertReason(Reason.WRONG_KEY, forged(more), KEYS);
    }
  }

  @Test
  void rejectsARootInPlaceOfASubtreeThatIsShown() {
    LookupTree root = good.lookups().parts().get(1).tree();
    LookupTree leaf = ((LookupTree.ChildItem) root.records().getLast()).tree();
    List<Digest> more = new ArrayList<>(leaf.outside());
    more.add(Digest.ZERO);
    assertReason(Reason.WRONG_KEY, leaf(root, withoutLast(leaf.records()), more), KEYS);
    assertReason(Reason.WRONG_PATH_LENGTH, leaf(root, leaf.records(), more), KEYS);
    assertReason(Reason.WRONG_PATH_LENGTH, leaf(root, leaf.records(), List.of()), KEYS);
    assertReason(Reason.ROOT_MISMATCH, leaf(root, leaf.records(), List.of(Digest.ZERO)), KEYS);
    List<LookupTree.Item> one = withoutLast(root.records());
    assertReason(Reason.WRONG_KEY, newest(new LookupTree(1, root.separators(), one, more)), KEYS);
  }

  /// The last leaf of the newest partition is another.
  private LookupsProof leaf(LookupTree root, List<LookupTree.Item> records, List<Digest> outside) {
    LookupTree.ChildItem last = (LookupTree.ChildItem) root.records().getLast();
    List<LookupTree.Item> items = new ArrayList<>(withoutLast(root.records()));
    LookupTree leaf = new LookupTree(0, last.tree().separators(), records, outside);
    items.add(new LookupTree.ChildItem(last.entryCount(), leaf));
    return newest(new LookupTree(1, root.separators(), items, root.outside()));
  }

  private LookupsProof newest(LookupTree root) {
    StateLookups all = good.lookups();
    Bytes partition = all.parts().get(1).partition();
    List<StateLookups.Part> parts =
        List.of(all.parts().get(0), new StateLookups.Part(partition, root));
    return log.lookups(KEYS, SIZE, new StateLookups(2, 0, List.of(), parts));
  }

  private static <T> List<T> withoutLast(List<T> items) {
    return items.subList(0, items.size() - 1);
  }

  @Test
  void rejectsFirstTooLowAndTooHigh() {
    List<Bytes> newest = List.of(SampleState.key(5), SampleState.key(11));
    LookupsProof one = log.lookups(newest, SIZE);
    assertThat(one.lookups().first()).isEqualTo(1);
    for (List<Bytes> shown : List.of(newest, List.<Bytes>of())) {
      StateLookups low = ReferenceForestProofs.lookupsOf(forest, List.of(shown, newest));
      assertReason(Reason.WRONG_KEY, log.lookups(newest, SIZE, low), newest);
    }
    assertReason(Reason.MISSING, forged(sought.subList(1, 2)), KEYS);
  }

  @Test
  void rejectsThatTheNewestPartIsMissing() {
    StateLookups all = good.lookups();
    List<StateLookups.Part> oldest = all.parts().subList(0, 1);
    StateLookups fewer = new StateLookups(2, 0, List.of(), oldest);
    assertReason(Reason.INDEX_OUT_OF_RANGE, log.lookups(KEYS, SIZE, fewer), KEYS);
    StateLookups older = new StateLookups(1, 0, List.of(), oldest);
    assertReason(Reason.ROOT_MISMATCH, log.lookups(KEYS, SIZE, older), KEYS);
    StateLookups none = new StateLookups(0, 0, List.of(), List.of());
    assertReason(Reason.ROOT_MISMATCH, log.lookups(KEYS, SIZE, none), KEYS);
    assertReason(Reason.WRONG_JSN, log.lookups(KEYS, 6), KEYS);
  }

  @Test
  void refusesEveryOtherEncoding() {
    List<Bytes> one = KEYS.subList(0, 1);
    assertMalformed(log.lookups(one, SIZE), "a proof of several keys with 1");
    assertMalformed(log.lookups(List.of(), SIZE, good.lookups()), "with 0");
    assertMalformed(log.lookups(KEYS.reversed(), SIZE, good.lookups()), "does not ascend");
    assertMalformed(
        log.lookups(List.of(KEYS.get(0), KEYS.get(0)), SIZE, good.lookups()), "does not ascend");
    assertMalformed(
        log.lookups(List.of(Bytes.EMPTY, KEYS.get(0)), SIZE, good.lookups()), "does not ascend");
    assertThatThrownBy(() -> LookupsProof.decode(log.lookup(KEYS.get(0), SIZE).encode()))
        .hasMessageContaining("type 30, want 33");
    assertThatThrownBy(() -> LookupsProof.decode(Bytes.wrap(new byte[LookupsProof.BYTES_MAX + 1])))
        .hasMessageContaining("proof of 4194305 bytes");
  }

  private static void assertMalformed(LookupsProof proof, String why) {
    assertThatThrownBy(() -> LookupsProof.decode(proof.encode()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining(why);
  }

  private LookupsProof forged(List<List<Bytes>> shown) {
    return log.lookups(KEYS, SIZE, ReferenceForestProofs.lookupsOf(forest, shown));
  }

  private void assertReason(Reason reason, LookupsProof proof, List<Bytes> wanted) {
    assertThatThrownBy(() -> proof.verify(wanted, head))
        .isInstanceOfSatisfying(
            ProofRejectedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
