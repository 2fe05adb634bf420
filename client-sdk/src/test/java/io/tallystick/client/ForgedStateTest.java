package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.StateItem;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.api.v1.StatePage;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateWalk;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Op;
import io.tallystick.journal.Ops;
import io.tallystick.merkle.forest.RangeNode;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.merkle.forest.StateLookup;
import io.tallystick.merkle.forest.StateRange;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.LookupProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each false answer about the state that a service can give with proofs of its own making, and how
/// the client refuses it. Blocks 1 to 5 write: four keys at once, which fill and close partition 0;
/// `stock` again; `gone` away; `stock` once more; something else.
class ForgedStateTest {
  private static final Bytes STOCK = Bytes.utf8("stock");
  private static final Bytes GONE = Bytes.utf8("gone");

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerState state;
  private FakeLedger remote;
  private FakeStates states;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust, LedgerOptions.DEFAULT.withState(LedgerStateTest.SMALL));
    state = fixture.ledger.state();
    remote = fixture.remote();
    states = fixture.service.states;
    state.write(
        StateWrite.put("stock", "1"),
        StateWrite.put("gone", "x"),
        StateWrite.put("a", "a"),
        StateWrite.put("z", "z"));
    state.put("stock", "2");
    state.delete("gone");
    state.put("stock", "3");
    state.put("else", "e");
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private int newest() {
    return remote.seals.size() - 1;
  }

  // ---- what the lies are made of

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }

  private StateOfKey key(Bytes key, int height) {
    return FakeStates.key(remote, key, height);
  }

  private UnaryOperator<StateOfKey> lookup(Bytes key, StateLookup lookup) {
    LookupProof proof = new LookupProof(FakeStates.seal(remote, newest()), key, lookup);
    return answer -> answer.toBuilder().setProof(wire(proof.encode())).build();
  }

  // ---- the clients that are answered

  /// Nothing that is refused moves the trusted head but a head that is good itself.
  private static Reason reason(ThrowingCallable call) {
    VerificationException refused = refusal(call);
    assertThat(refused).isNotNull();
    return refused.reason();
  }

  private Reason get(Bytes key, UnaryOperator<StateOfKey> lie) {
    states.keyTampering = lie;
    Reason reason = reason(() -> state.get(key));
    states.keyTampering = UnaryOperator.identity();
    return reason;
  }

  private Reason range(UnaryOperator<StatePage> lie) {
    states.pageTampering = (unused, page) -> lie.apply(page);
    return reason(() -> state.range(StateSpan.all()).next());
  }

  // ---- one key

  @Test
  void refusesAnotherKeysProof() {
    assertThat(get(STOCK, unused -> key(GONE, newest()))).isEqualTo(Reason.WRONG_KEY);
    StateLookup other = ReferenceForestProofs.lookup(FakeStates.forest(remote, newest()), GONE);
    // Called the key's own, another key's path does not lead anywhere.
    assertThat(get(Bytes.utf8("stocks"), lookup(Bytes.utf8("stocks"), other)))
        .isIn(Reason.WRONG_PATH_LENGTH, Reason.ROOT_MISMATCH, Reason.WRONG_KEY, Reason.MISSING);
  }

  @Test
  void refusesAnOldHeadAsTheNewest() {
    assertThat(get(STOCK, unused -> key(STOCK, 2))).isEqualTo(Reason.ROLLBACK);
    states.pageTampering = (unused, ignored) -> FakeStates.page(remote, Bytes.EMPTY, null, 100, 2);
    assertThat(reason(() -> state.range(StateSpan.all()))).isEqualTo(Reason.ROLLBACK);
  }

  /// The proof is under an older head than the one that is shown.
  @Test
  void refusesAProofUnderAnotherHead() {
    ByteString old = key(STOCK, 2).getProof();
    assertThat(get(STOCK, answer -> answer.toBuilder().setProof(old).build()))
        .isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void refusesAnotherBlockThanTheOneAskedFor() {
    states.keyTampering = unused -> key(STOCK, 3);
    assertThat(reason(() -> state.get(STOCK, 2))).isEqualTo(Reason.LEAF_MISMATCH);
    states.keyTampering = unused -> key(STOCK, newest());
    assertThat(reason(() -> state.get(STOCK, 2))).isEqualTo(Reason.LEAF_MISMATCH);
  }

  @Test
  void refusesAChangedValue() throws MalformedException {
    Bytes right = Bytes.wrap(key(STOCK, newest()).getValue().toByteArray());
    StateValue value = StateValue.decode(right);
    List<StateValue> lies =
        List.of(
            new StateValue(value.opening(), Bytes.utf8("4")),
            new StateValue(value.opening(), Bytes.utf8("33")),
            new StateValue(Digest.ZERO, value.value()),
            valueAt(2));
    for (StateValue lie : lies) {
      assertThat(get(STOCK, answer -> answer.toBuilder().setValue(wire(lie.encode())).build()))
          .isEqualTo(Reason.COMMITMENT_MISMATCH);
    }
    assertThat(get(STOCK, answer -> answer.toBuilder().clearValue().build()))
        .isEqualTo(Reason.MALFORMED);
  }

  private StateValue valueAt(int height) {
    return FakeStates.value(remote, FakeStates.forest(remote, height).newest(STOCK).orElseThrow());
  }

  @Test
  void refusesThatAPresentKeyHasNoValue() {
    for (BodyState said : List.of(BodyState.BODY_NONE, BodyState.BODY_STATE_UNSPECIFIED)) {
      assertThat(get(STOCK, answer -> answer.toBuilder().clearValue().setValueState(said).build()))
          .isEqualTo(Reason.MISSING);
    }
    assertThat(
            get(
                GONE,
                answer -> answer.toBuilder().setValue(key(STOCK, newest()).getValue()).build()))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
  }

  /// The tombstone is in a newer partition than the value.
  @Test
  void refusesToHideATombstone() {
    ReferenceForest forest = FakeStates.forest(remote, newest());
    // The older partition beside the newer: the newer holds the key.
    StateLookup beside = ReferenceForestProofs.lookup(forest, GONE, 0);
    assertThat(beside.searches().size()).isGreaterThan(1);
    assertThat(get(GONE, lookup(GONE, beside))).isEqualTo(Reason.WRONG_KEY);
    // The older partition alone: the count is hashed.
    StateLookup alone = ReferenceForestProofs.lookup(FakeStates.forest(remote, 1), GONE);
    assertThat(get(GONE, lookup(GONE, alone))).isEqualTo(Reason.ROOT_MISMATCH);
    // A forest in which it never happened.
    StateLookup never = ReferenceForestProofs.lookup(without(3), GONE);
    assertThat(get(GONE, lookup(GONE, never))).isEqualTo(Reason.ROOT_MISMATCH);
  }

  /// The forest without a block's writes.
  private ReferenceForest without(int height) {
    ReferenceForest forest = new ReferenceForest(LedgerStateTest.SMALL);
    for (int h = 0; h <= newest(); h++) {
      forest.apply(h, h == height ? List.of() : remote.writes.get(h));
    }
    return forest;
  }

  /// That a key is absent needs a look into all partitions.
  @Test
  void refusesThatAnOldKeyIsAbsent() {
    ReferenceForest forest = FakeStates.forest(remote, newest());
    Bytes old = Bytes.utf8("z");
    StateLookup newer = ReferenceForestProofs.lookup(forest, old, 1);
    assertThat(get(old, lookup(old, newer))).isEqualTo(Reason.MISSING);
  }

  /// Where an entry was written by a journal that the block does not hold, the forest itself is a
  /// lie, which a client can see.
  @Test
  void refusesAnEntryOfALaterJournal() throws TallyException {
    remote.stateTampering =
        writes ->
            writes.stream()
                .map(entry -> StateEntry.tombstone(entry.key(), new Jsn(entry.jsn().value() + 1)))
                .toList();
    state.put("stock", "4");
    assertThat(reason(() -> state.get(STOCK))).isEqualTo(Reason.WRONG_JSN);
  }

  // ---- ranges

  private UnaryOperator<StatePage> rangeOf(UnaryOperator<StateRange> change) {
    return page -> {
      try {
        RangeOfState proof = RangeOfState.decode(Bytes.wrap(page.getProof().toByteArray()));
        RangeOfState changed =
            new RangeOfState(proof.seal(), proof.from(), proof.to(), change.apply(proof.range()));
        return page.toBuilder().setProof(wire(changed.encode())).build();
      } catch (MalformedException e) {
        throw new AssertionError(e);
      }
    };
  }

  @Test
  void refusesAPageThatLeavesAnEntryOut() {
    StatePage.Builder page = FakeStates.page(remote, Bytes.EMPTY, null, 100, newest()).toBuilder();
    assertThat(page.getValuesCount()).isEqualTo(4); // a, else, stock, z
    assertThat(range(rangeOf(ForgedStateTest::withoutAnEntry)))
        .isIn(Reason.WRONG_PATH_LENGTH, Reason.ROOT_MISMATCH, Reason.WRONG_KEY);
    assertThat(
            range(
                rangeOf(range ->
                    new StateRange(range.partitions().subList(0, range.partitions().size() - 1)))))
        .isEqualTo(Reason.ROOT_MISMATCH);
    // A forest in which it was never written.
    StateRange never = ReferenceForestProofs.range(without(5), Bytes.EMPTY, Optional.empty());
    assertThat(range(rangeOf(unused -> never))).isEqualTo(Reason.ROOT_MISMATCH);
  }

  private static StateRange withoutAnEntry(StateRange range) {
    List<StateRange.Part> parts = new ArrayList<>(range.partitions());
    RangeNode node = parts.getFirst().node();
    assertThat(node.level()).isZero();
    List<RangeNode.Item> fewer = new ArrayList<>(node.records());
    fewer.removeLast();
    parts.set(
        0,
        new StateRange.Part(
            parts.getFirst().partition(),
            new RangeNode(node.level(), node.separators(), node.slot(), fewer, node.roots())));
    return new StateRange(parts);
  }

  /// True proofs of other keys than those asked for.
  @Test
  void refusesAPageThatBeginsElsewhereOrEndsLater() {
    assertThat(range(unused -> FakeStates.page(remote, Bytes.utf8("b"), null, 100, newest())))
        .isEqualTo(Reason.WRONG_KEY);
    states.pageTampering =
        (unused, ignored) -> FakeStates.page(remote, Bytes.EMPTY, null, 100, newest());
    assertThat(reason(() -> state.range("a", "m"))).isNotNull();
    assertThatThrownBy(() -> state.range(StateSpan.between(Bytes.EMPTY, Bytes.utf8("m"))))
        .isInstanceOf(VerificationException.class)
        .hasMessageContaining("WRONG_KEY");
  }

  /// Behind a deleted key, or where it has no key at all.
  @Test
  void aPageMayEndAnywhere() throws TallyException {
    for (Bytes end : List.of(Bytes.utf8("a"), Bytes.utf8("b"), Bytes.utf8("zz"))) {
      states.pageTampering =
          (request, answer) ->
              request.getFrom().isEmpty()
                  ? FakeStates.page(remote, Bytes.EMPTY, end, 100, newest())
                  : answer;
      StateWalk walk = state.range(StateSpan.all());
      List<Bytes> keys = new ArrayList<>();
      for (var page = walk.next(); !page.isEmpty(); page = walk.next()) {
        page.forEach(item -> keys.add(item.key()));
      }
      assertThat(keys).containsExactly(Bytes.utf8("a"), Bytes.utf8("else"), STOCK, Bytes.utf8("z"));
    }
  }

  /// A page may end early: what the service says of the next one does not count, the proof does.
  @Test
  void aPageThatIsCalledTheLastIsNot() throws TallyException {
    states.pageMax = 1;
    states.pageTampering = (unused, page) -> page.toBuilder().clearNextFrom().build();
    StateWalk walk = state.range(StateSpan.all());
    List<Bytes> keys = new ArrayList<>();
    for (var page = walk.next(); !page.isEmpty(); page = walk.next()) {
      page.forEach(item -> keys.add(item.key()));
    }
    assertThat(keys).containsExactly(Bytes.utf8("a"), Bytes.utf8("else"), STOCK, Bytes.utf8("z"));
  }

  @Test
  void refusesValuesThatAreSwappedOrLeftOut() {
    assertThat(
            range(page -> {
              StateItem first = page.getValues(0);
              return page.toBuilder().setValues(0, page.getValues(1)).setValues(1, first).build();
            }))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(range(page -> page.toBuilder().removeValues(0).build())).isEqualTo(Reason.MISSING);
  }

  @Test
  void refusesAFurtherPageOfAnotherBlock() throws TallyException {
    states.pageMax = 2;
    StateWalk walk = state.range(StateSpan.all());
    walk.next();
    state.put("stock", "4");
    states.pageTampering =
        (request, unused) ->
            FakeStates.page(remote, Bytes.wrap(request.getFrom().toByteArray()), null, 2, newest());
    assertThat(reason(walk::next)).isEqualTo(Reason.LEAF_MISMATCH);
  }

  /// Two blocks of one height, sealed so by a service that lies: one walk stays in one of them.
  @Test
  void refusesAFurtherPageOfABlockThatIsCalledTheSame() throws TallyException {
    states.pageMax = 2;
    StateWalk walk = state.range(StateSpan.all());
    walk.next();
    remote.sealedHeights = height -> height - 1;
    state.put("stock", "4");
    states.pageTampering =
        (request, unused) ->
            FakeStates.page(remote, Bytes.wrap(request.getFrom().toByteArray()), null, 2, newest());
    assertThat(reason(walk::next)).isEqualTo(Reason.WRONG_SIZE);
  }

  // ---- operations of journals

  @Test
  void refusesOperationsThatTheHeaderDoesNotCommitTo() throws TallyException {
    Jsn jsn = state.put("stock", "4").jsn();
    Op other = DraftOp.delete(STOCK).commit(Bytes.wrap(new byte[32]), 0);
    List<UnaryOperator<JournalEntry>> lies =
        List.of(
            entry -> entry.toBuilder().clearOps().build(),
            entry -> entry.toBuilder().setOps(wire(new Ops(List.of(other)).encode())).build(),
            entry ->
                entry.toBuilder()
                    .setOps(
                        wire(
                            new Ops(List.of(other, DraftOp.delete(GONE).commit(Bytes.EMPTY, 1)))
                                .encode()))
                    .build());
    for (UnaryOperator<JournalEntry> lie : lies) {
      fixture.service.entryTampering = lie;
      assertThat(reason(() -> fixture.ledger.get(jsn))).isEqualTo(Reason.COMMITMENT_MISMATCH);
    }
    fixture.service.entryTampering =
        entry -> entry.toBuilder().setOps(wire(Bytes.fromHex("80"))).build();
    assertThat(reason(() -> fixture.ledger.get(jsn))).isEqualTo(Reason.MALFORMED);
  }
}
