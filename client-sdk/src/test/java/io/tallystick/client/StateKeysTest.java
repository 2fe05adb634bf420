package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.GetStateOfKeysRequest;
import io.tallystick.api.v1.StateItem;
import io.tallystick.api.v1.StateOfKeys;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.state.HeldKey;
import io.tallystick.client.state.StateReadings;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.RequestDraft;
import io.tallystick.merkle.forest.StateLookups;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.state.LookupFile;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.StateFile;
import io.tallystick.testkit.forest.ReferenceForest;
import io.tallystick.testkit.forest.ReferenceForestProofs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: several keys are read under one head, each as a read of it alone tells it, and no false
/// answer about one of them is believed. Method: a fake service that proves by the reference
/// forest, and lies. Blocks 1 to 5 write: four keys at once, which fill and close partition 0;
/// `stock` again; `gone` away; `stock` once more; something else.
class StateKeysTest {
  private static final Bytes GONE = Bytes.utf8("gone");
  private static final Bytes NEVER = Bytes.utf8("never");
  private static final Bytes STOCK = Bytes.utf8("stock");
  private static final Bytes LAST = Bytes.utf8("z");
  private static final List<Bytes> KEYS = List.of(GONE, NEVER, STOCK, LAST);

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
        StateWrite.put("z", "last"));
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

  // ---- true answers

  @Test
  void readsSeveralKeysUnderOneHead() throws Exception {
    StateReadings now = state.getAll("z", "stock", "gone", "never", "stock");
    assertThat(now.keys().stream().map(HeldKey::key)).isEqualTo(KEYS);
    assertThat(now.of("stock").text()).contains("3");
    assertThat(now.of(LAST).text()).contains("last");
    assertThat(now.of(GONE).value()).isEmpty();
    for (HeldKey each : now.keys()) {
      assertThat(each.answer()).isEqualTo(state.get(each.key()).answer());
      assertThat(each.entry()).isEqualTo(state.get(each.key()).entry());
    }
    assertThat(now.head().size().value()).isEqualTo(remote.size());
    assertThat(now.height()).isEqualTo(newest());
    assertThat(states.pages).isEqualTo(1);
    assertThatThrownBy(() -> now.of("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was not asked for");
    StateReadings old = state.getAll(KEYS, 1);
    assertThat(old.of(STOCK).text()).contains("1");
    assertThat(old.of(GONE).text()).contains("x");
    assertThat(old.height()).isEqualTo(1);
  }

  @Test
  void goesOnUnderTheSameHeadUntilAllAreAnswered() throws Exception {
    for (int pageMax = 1; pageMax <= 4; pageMax++) {
      states.pageMax = pageMax;
      states.pages = 0;
      // Another block is sealed behind the first page.
      states.keysTampering =
          (request, answer) -> {
            if (!request.hasAsOfHeight()) {
              append();
            }
            return answer.toBuilder().clearNextKey().build(); // the proof alone counts
          };
      long before = newest();
      StateReadings found = state.getAll(KEYS);
      assertThat(found.keys().stream().map(HeldKey::key)).isEqualTo(KEYS);
      assertThat(found.height()).isEqualTo(before);
      assertThat(found.pages()).hasSize((4 + pageMax - 1) / pageMax);
      assertThat(states.pages).isEqualTo(found.pages().size());
    }
  }

  /// By the service itself, while it answers.
  private void append() {
    long time = remote.params.createdMs();
    RequestDraft draft =
        RequestDraft.append(remote.strand(), Bytes.EMPTY, "", time, Bytes.wrap(new byte[32]));
    remote.append(List.of(draft.build()), Bytes.utf8("attestation " + remote.size()), time);
  }

  @Test
  void moreKeysThanOneProofMayHaveAreAskedForInTurn() throws Exception {
    List<Bytes> many = new ArrayList<>();
    for (int i = 0; i < 1500; i++) {
      many.add(Bytes.utf8("key " + i));
    }
    StateReadings found = state.getAll(many);
    assertThat(found.keys()).hasSize(1500);
    assertThat(found.pages().stream().map(page -> page.keys().size())).containsExactly(1000, 500);
  }

  @Test
  void aPageIsAFileThatVerifiesAlone() throws Exception {
    Bytes file = state.getAll(KEYS).pages().getFirst().file();
    ReceiptVerifier alone = ReceiptVerifier.fromTrustStore(trust, fixture.id());
    LookupFile.Verified shown = alone.verify(LookupFile.decode(file));
    assertThat(shown.items().stream().map(item -> item.answer().key())).isEqualTo(KEYS);
    assertThat(shown.items().get(2).value()).contains(Bytes.utf8("3"));
    assertThat(state.verify(LookupFile.decode(file)).items()).isEqualTo(shown.items());
    Bytes one = state.getAll(List.of(STOCK)).pages().getFirst().file();
    assertThat(alone.verify(StateFile.decode(one)).value()).contains(Bytes.utf8("3"));
  }

  @Test
  void aValueThatCannotBeReadIsToldWhenItIsAskedFor() throws Exception {
    states.keysTampering = changed(2, item -> damaged());
    StateReadings found = state.getAll(KEYS);
    assertThat(found.of(LAST).text()).contains("last");
    assertThatThrownBy(() -> found.of(STOCK).value()).isInstanceOf(ValueUnavailableException.class);
  }

  private static StateItem damaged() {
    return StateItem.newBuilder().setValueState(BodyState.BODY_DAMAGED).build();
  }

  private static BiFunction<GetStateOfKeysRequest, StateOfKeys, StateOfKeys> changed(
      int index, UnaryOperator<StateItem> change) {
    return (unused, answer) ->
        answer.toBuilder().setValues(index, change.apply(answer.getValues(index))).build();
  }

  @Test
  void whatBreaksALimitIsToldBeforeAnythingIsSent() {
    for (List<Bytes> keys :
        List.of(List.<Bytes>of(), List.of(Bytes.EMPTY), List.of(Bytes.wrap(new byte[257])))) {
      assertThatThrownBy(() -> state.getAll(keys)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> state.getAll(KEYS, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(states.pages).isZero();
    states.oldestKept = 3;
    assertThat(refused(2)).isEqualTo("pruned");
    assertThat(refused(newest() + 1)).isEqualTo("out_of_range");
  }

  private String refused(long height) {
    return catchThrowableOfType(RequestRefusedException.class, () -> state.getAll(KEYS, height))
        .code();
  }

  // ---- lies

  private Reason reason(BiFunction<GetStateOfKeysRequest, StateOfKeys, StateOfKeys> lie) {
    states.keysTampering = lie;
    return refusal(() -> state.getAll(KEYS)).reason();
  }

  private Reason proof(List<Bytes> keys, StateLookups lookups) {
    LookupsProof proof = new LookupsProof(FakeStates.seal(remote, newest()), keys, lookups);
    ByteString wire = ByteString.copyFrom(proof.encode().toArray());
    return reason((unused, answer) -> answer.toBuilder().setProof(wire).build());
  }

  @Test
  void refusesKeysThatAreLeftOutAndOldValuesOfOthers() {
    ReferenceForest forest = FakeStates.forest(remote, newest());
    List<List<Bytes>> sought = ReferenceForestProofs.soughtIn(forest, KEYS);
    assertThat(sought).hasSize(2);
    // `gone` and `stock` are in the newest partition: the older one shows what they held before.
    List<List<Bytes>> older = List.of(KEYS, List.of(NEVER, LAST));
    assertThat(proof(KEYS, ReferenceForestProofs.lookupsOf(forest, older)))
        .isEqualTo(Reason.WRONG_KEY);
    List<Bytes> fewer = List.of(GONE, NEVER, LAST);
    assertThat(proof(fewer, ReferenceForestProofs.lookups(forest, fewer)))
        .isEqualTo(Reason.WRONG_KEY);
    assertThat(proof(KEYS, ReferenceForestProofs.lookupsOf(forest, sought.subList(1, 2))))
        .isEqualTo(Reason.MISSING);
    ReferenceForest before = FakeStates.forest(remote, 1);
    assertThat(proof(KEYS, ReferenceForestProofs.lookups(before, KEYS)))
        .isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(reason((unused, answer) -> FakeStates.keys(remote, List.of(STOCK), newest())))
        .isEqualTo(Reason.WRONG_KEY);
  }

  @Test
  void refusesAnOldHeadAsTheNewestAndAnotherBlockThanTheOneAskedFor() {
    assertThat(reason((unused, answer) -> FakeStates.keys(remote, KEYS, 2)))
        .isEqualTo(Reason.ROLLBACK);
    states.keysTampering = (unused, answer) -> FakeStates.keys(remote, KEYS, 3);
    assertThat(refusal(() -> state.getAll(KEYS, 2)).reason()).isEqualTo(Reason.LEAF_MISMATCH);
    ByteString old = FakeStates.keys(remote, KEYS, 2).getProof();
    assertThat(reason((unused, answer) -> answer.toBuilder().setProof(old).build()))
        .isEqualTo(Reason.WRONG_JSN);
  }

  /// A second page of another block would mix two states.
  @Test
  void refusesAFurtherPageOfAnotherBlock() {
    states.pageMax = 2;
    assertThat(
            reason((request, answer) ->
                request.hasAsOfHeight()
                    ? FakeStates.keys(remote, List.of(STOCK, LAST), 3)
                    : answer))
        .isEqualTo(Reason.LEAF_MISMATCH);
  }

  /// Two blocks of one height, sealed so by a service that lies: one read stays in one of them.
  @Test
  void refusesAFurtherPageOfABlockThatIsCalledTheSame() {
    states.pageMax = 2;
    assertThat(
            reason((request, answer) -> {
              if (request.hasAsOfHeight()) {
                return FakeStates.keys(remote, List.of(STOCK, LAST), newest());
              }
              remote.sealedHeights = height -> height - 1;
              append();
              return answer;
            }))
        .isEqualTo(Reason.WRONG_SIZE);
  }

  @Test
  void refusesValuesThatAreNotTheKeys() {
    StateOfKeys right = FakeStates.keys(remote, KEYS, newest());
    assertThat(reason(changed(2, item -> right.getValues(3))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(reason(changed(0, item -> right.getValues(3))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(reason(changed(1, item -> right.getValues(3))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(reason(changed(2, item -> StateItem.getDefaultInstance())))
        .isEqualTo(Reason.MISSING);
    assertThat(reason((unused, answer) -> answer.toBuilder().clearValues().build()))
        .isEqualTo(Reason.MISSING);
    assertThat(reason((unused, answer) -> answer.toBuilder().addValues(damaged()).build()))
        .isEqualTo(Reason.MISSING);
    assertThat(
            reason((unused, answer) ->
                answer.toBuilder().setProof(ByteString.fromHex("8100")).build()))
        .isEqualTo(Reason.MALFORMED);
    assertThat(reason((unused, answer) -> answer.toBuilder().clearProof().build()))
        .isEqualTo(Reason.MALFORMED);
  }
}
