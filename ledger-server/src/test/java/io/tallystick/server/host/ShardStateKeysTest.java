package io.tallystick.server.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.BlockView;
import io.tallystick.node.ProvenState;
import io.tallystick.node.ProvenStates;
import io.tallystick.node.ReadValue;
import io.tallystick.node.StateReads;
import io.tallystick.receipt.Receipt;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Goal: a read of several keys answers of each what a read of it alone does, with one proof under
/// one head, of all keys or of the first ones. Method: random keys of a random state; values and
/// proofs that are too large for one answer; keys that are refused.
class ShardStateKeysTest {
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Fixtures ledger = Fixtures.ledger().withSmallState();
  private final SplittableRandom random = new SplittableRandom(33);
  private int number;

  private static Bytes key(int i) {
    return Bytes.utf8("key " + i);
  }

  private void append(TestNode node, Fixtures to, List<DraftOp> ops) throws Exception {
    node.append(to, to.writing(number++, ops.toArray(DraftOp[]::new)));
  }

  private SignedHead head(TestNode node, BlockView block) throws Exception {
    return Receipt.decode(block.headReceipt())
        .verify(block.sealLeaf(), ledger.strand(), node.keys(), TestNode.SIGNATURES);
  }

  @Test
  void answersAsReadsOfEachKeyDo() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      for (int block = 1; block <= 60; block++) {
        List<DraftOp> ops = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          Bytes key = key(random.nextInt(10) + 10 * i);
          ops.add(
              random.nextInt(4) == 0
                  ? DraftOp.delete(key)
                  : DraftOp.put(key, Bytes.utf8("value " + block + i)));
        }
        append(node, ledger, ops);
        checkKeys(node, block);
        checkKeys(node, random.nextInt(block + 1));
      }
    }
  }

  /// In the order in which a caller may give them.
  private void checkKeys(TestNode node, long height) throws Exception {
    List<Bytes> keys = new ArrayList<>();
    for (int i = 45; i >= 0; i -= 1 + random.nextInt(12)) {
      keys.add(key(i));
    }
    ProvenStates found = node.node.states(ledger.strand(), keys, height, true);
    List<Bytes> sorted = List.copyOf(new TreeSet<>(keys));
    assertThat(found.next()).isEmpty();
    assertThat(found.head().height()).isEqualTo(height);
    assertThat(found.values()).hasSameSizeAs(sorted);
    for (int i = 0; i < sorted.size(); i++) {
      ProvenState one = node.node.state(ledger.strand(), sorted.get(i), height, true);
      assertThat(found.answers().get(i)).isEqualTo(one.answer());
      assertThat(found.values().get(i)).isEqualTo(one.value());
    }
    ProvenStates without = node.node.states(ledger.strand(), keys, height, false);
    assertThat(without.values()).isEmpty();
    assertThat(without.proof()).isEqualTo(found.proof());
    if (sorted.size() == 1) {
      LookupProof one = node.node.state(ledger.strand(), keys.getFirst(), height, false).proof();
      assertThat(found.proof()).isEqualTo(one.encode());
    } else {
      assertThat(LookupsProof.decode(found.proof()).verify(sorted, head(node, found.head())))
          .isEqualTo(found.answers());
    }
  }

  @Test
  void endsBeforeItsValuesAreTooMany() throws Exception {
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      for (int i = 0; i < 4; i++) {
        int bytes = i == 1 ? 20 : 400 << 10;
        append(node, ledger, List.of(DraftOp.put(key(i), Bytes.wrap(new byte[bytes]))));
      }
      List<Bytes> keys = List.of(key(0), key(1), key(2), key(3), key(4));
      List<Integer> sizes = new ArrayList<>();
      List<Bytes> left = keys;
      while (!left.isEmpty()) {
        ProvenStates found = node.node.states(ledger.strand(), left, 4, true);
        assertThat(found.values())
            .extracting(ReadValue::state)
            .isSubsetOf(BodyState.PRESENT, BodyState.NONE);
        sizes.add(found.answers().size());
        int answered = found.answers().size();
        assertThat(found.next())
            .isEqualTo(answered < left.size() ? Optional.of(left.get(answered)) : Optional.empty());
        left = left.subList(answered, left.size());
      }
      assertThat(sizes).containsExactly(2, 1, 2);
      assertThat(node.node.states(ledger.strand(), keys, 4, false).answers()).hasSize(5);
    }
  }

  /// Each key meets an entry of its own, of some 300 bytes, in each of the partitions.
  @Test
  void endsBeforeItsProofIsTooLarge() throws Exception {
    Fixtures large = Fixtures.ledger().withState(new StateParams(1000, 1, 40, 32, 1));
    String prefix = "k".repeat(240);
    List<Bytes> asked = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      asked.add(Bytes.utf8(String.format(Locale.ROOT, "%s%04d!", prefix, i)));
    }
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(large);
      for (int partition = 0; partition < 16; partition++) {
        List<DraftOp> ops = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
          Bytes key = Bytes.utf8(String.format(Locale.ROOT, "%s%04d", prefix, i));
          ops.add(DraftOp.put(key, Bytes.EMPTY));
        }
        append(node, large, ops);
      }
      int answered = 0;
      int pages = 0;
      while (answered < asked.size()) {
        List<Bytes> left = asked.subList(answered, asked.size());
        ProvenStates found = node.node.states(large.strand(), left, StateReads.NEWEST, true);
        assertThat(found.proof().size()).isLessThanOrEqualTo(LookupsProof.BYTES_MAX);
        assertThat(LookupsProof.decode(found.proof()).keys())
            .isEqualTo(left.subList(0, found.answers().size()));
        assertThat(found.answers()).allMatch(answer -> answer instanceof StateAnswer.Absent);
        answered += found.answers().size();
        pages++;
      }
      assertThat(pages).isEqualTo(2);
    }
  }

  @Test
  void refusesKeysThatAreNotAsTheyMustBe() throws Exception {
    Fixtures plain = Fixtures.ledger(Fixtures.TIME_MS + 1);
    try (TestNode node = new TestNode(disk, meta)) {
      node.found(ledger);
      node.found(plain);
      invalid(node, List.of(), "0 keys, want 1 to 1000", -1);
      List<Bytes> many = new ArrayList<>();
      for (int i = 0; i <= 1000; i++) {
        many.add(key(i));
      }
      invalid(node, many, "1001 keys, want 1 to 1000", -1);
      assertThat(node.node.states(ledger.strand(), many.subList(1, 1001), 0, true).answers())
          .hasSize(1000);
      invalid(node, List.of(key(2), key(1), key(2)), "keys 0 and 2 are the same: \"key 2\"", 2);
      invalid(node, List.of(key(1), Bytes.EMPTY), "key of 0 bytes", 1);
      invalid(node, List.of(Bytes.wrap(new byte[257])), "key of 257 bytes", 0);
      List<Bytes> two = List.of(key(1), key(2));
      refused(() -> node.node.states(ledger.strand(), two, 1, true), RejectionCode.OUT_OF_RANGE);
      refused(
          () -> node.node.states(plain.strand(), two, 0, true), RejectionCode.FEATURE_NOT_ENABLED);
    }
  }

  private void invalid(TestNode node, List<Bytes> keys, String why, int index) {
    RequestRejectedException refusal =
        refused(
            () -> node.node.states(ledger.strand(), keys, 0, true),
            RejectionCode.OPERATION_INVALID);
    assertThat(refusal).hasMessageContaining(why);
    assertThat(refusal.index().orElse(-1)).isEqualTo(index);
  }

  private static RequestRejectedException refused(ThrowingCallable call, RejectionCode code) {
    RequestRejectedException refusal = catchThrowableOfType(RequestRejectedException.class, call);
    assertThat(refusal.code()).isEqualTo(code);
    return refusal;
  }
}
