package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static io.tallystick.client.state.StateVersions.Completeness.CUT_OFF;
import static io.tallystick.client.state.StateVersions.Completeness.PROVEN;
import static io.tallystick.client.state.StateVersions.Completeness.SERVICE_WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.KeyVersion;
import io.tallystick.api.v1.StateHistory;
import io.tallystick.api.v1.StateOfKey;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.state.StateVersion;
import io.tallystick.client.state.StateVersions;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a history has every write, each proven; it says that there are no others only if that is
/// proven; what a service invents, swaps or leaves out is refused where a proof covers it. Method:
/// a fake service. Blocks 1 to 5: a put of `stock` among others, a put, a deletion, another key, a
/// put.
class StateHistoryTest {
  private static final Bytes STOCK = Bytes.utf8("stock");

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerState state;
  private FakeStates states;
  private List<Long> jsns;

  @BeforeEach
  void write() throws TallyException {
    fixture = new ServiceFixture(trust, LedgerOptions.DEFAULT.withState(LedgerStateTest.SMALL));
    state = fixture.ledger.state();
    states = fixture.service.states;
    jsns = new ArrayList<>();
    jsns.add(
        0,
        state
            .write(StateWrite.put("a", "a"), StateWrite.put("stock", "1"), StateWrite.put("z", "z"))
            .jsn()
            .value());
    jsns.add(0, state.put("stock", "2").jsn().value());
    jsns.add(0, state.delete("stock").jsn().value());
    state.put("else", "e");
    jsns.add(0, state.put("stock", "3").jsn().value());
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<StateVersion> all(StateVersions history) throws TallyException {
    List<StateVersion> all = new ArrayList<>();
    while (history.hasNext()) {
      assertThat(history.completeness()).isEqualTo(CUT_OFF);
      all.addAll(history.next());
    }
    return all;
  }

  @Test
  void everyWriteIsShownPageByPageAndProvenToBeAll() throws TallyException {
    for (int page = 1; page <= 5; page++) {
      StateVersions history = state.history("stock").withPagesOf(page);
      List<StateVersion> versions = all(history);
      assertThat(versions).extracting(version -> version.jsn().value()).isEqualTo(jsns);
      assertThat(versions).extracting(StateVersion::height).containsExactly(5L, 3L, 2L, 1L);
      assertThat(versions).allMatch(StateVersion::stood);
      assertThat(versions.get(1).isDeletion()).isTrue();
      assertThat(versions.get(1).value()).isEmpty();
      assertThat(versions.get(3).text()).contains("1");
      assertThat(versions.get(3).still().orElseThrow().text()).contains("1");
      assertThat(history.completeness()).isEqualTo(PROVEN);
      assertThatThrownBy(history::next).isInstanceOf(NoSuchElementException.class);
    }
    StateVersions early = state.history(STOCK, 2);
    assertThat(all(early))
        .extracting(version -> version.text().orElse(""))
        .containsExactly("2", "1");
    assertThat(early.completeness()).isEqualTo(PROVEN);
    StateVersions never = state.history("never");
    assertThat(all(never)).isEmpty();
    assertThat(never.completeness()).isEqualTo(PROVEN);
    for (StateVersion bare : all(state.history("stock").withoutValues())) {
      assertThat(bare.valueState()).isEqualTo(BodyState.NONE);
    }
  }

  /// The writes come from the log; only that there are no others needs the states between them.
  @Test
  void withoutTheStatesBetweenAllAreShownByTheServicesWord() throws TallyException {
    states.oldestKept = 3;
    StateVersions history = state.history("stock");
    List<StateVersion> versions = all(history);
    assertThat(versions).extracting(version -> version.jsn().value()).isEqualTo(jsns);
    assertThat(versions).extracting(StateVersion::stood).containsExactly(true, true, false, false);
    assertThat(history.completeness()).isEqualTo(SERVICE_WORD);
    assertThat(history.before()).isEmpty();
  }

  /// What is not covered by a proof may be left out; then nobody says that it is proven.
  @Test
  void whatNoProofCoversIsNotCalledProven() throws TallyException {
    states.historyTampering =
        answer -> {
          StateHistory.Builder less = answer.toBuilder().removeVersions(2).clearBefore();
          for (int i = 0; i < less.getVersionsCount(); i++) {
            less.getVersionsBuilder(i).clearStill();
          }
          return less.build();
        };
    StateVersions history = state.history("stock");
    assertThat(all(history)).hasSize(3);
    assertThat(history.completeness()).isEqualTo(SERVICE_WORD);
    states.historyTampering = answer -> answer.toBuilder().clearBefore().build();
    StateVersions begin = state.history("stock");
    assertThat(all(begin)).hasSize(4);
    assertThat(begin.completeness()).isEqualTo(SERVICE_WORD);
  }

  private Reason lie(UnaryOperator<StateHistory> lie) {
    states.historyTampering = lie;
    VerificationException refused = refusal(() -> all(state.history("stock")));
    states.historyTampering = UnaryOperator.identity();
    assertThat(refused).isNotNull();
    return refused.reason();
  }

  private Reason lieInVersion(int index, UnaryOperator<KeyVersion> lie) {
    return lie(answer ->
        answer.toBuilder().setVersions(index, lie.apply(answer.getVersions(index))).build());
  }

  private StateOfKey stock(int height) {
    return FakeStates.key(fixture.remote(), STOCK, height).toBuilder().clearValue().build();
  }

  /// A history without a version, as a service would give it that never heard of it.
  ///
  /// @param shown the state where it is missing
  private static StateHistory without(StateHistory answer, int index, StateOfKey shown) {
    StateHistory.Builder less = answer.toBuilder().removeVersions(index);
    if (index < less.getVersionsCount()) {
      less.getVersionsBuilder(index).setStill(shown);
    } else {
      less.setBefore(shown);
    }
    return less.build();
  }

  @Test
  void refusesAVersionThatIsLeftOut() {
    int[] shownAt = {5, 4, 2, 1};
    for (int left = 0; left < shownAt.length; left++) {
      int index = left;
      StateOfKey shown = stock(shownAt[left]);
      assertThat(lie(answer -> without(answer, index, shown)))
          .as("version %d", left)
          .isEqualTo(Reason.MISSING);
      assertThat(lie(answer -> answer.toBuilder().removeVersions(index).build()))
          .as("version %d, with the state of another block", left)
          .isEqualTo(Reason.LEAF_MISMATCH);
    }
    StateOfKey now = stock(5);
    assertThat(lie(answer -> answer.toBuilder().clearVersions().setBefore(now).build()))
        .as("all")
        .isEqualTo(Reason.MISSING);
  }

  @Test
  void refusesAVersionThatIsInvented() {
    assertThat(
            lieInVersion(
                0, version -> version.toBuilder().setOp(ByteString.copyFromUtf8("put")).build()))
        .isEqualTo(Reason.MALFORMED);
    assertThat(lie(answer -> swapped(answer, KeyVersion.Builder::setOp, KeyVersion::getOp)))
        .isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(lie(answer -> swapped(answer, KeyVersion.Builder::setLeaf, KeyVersion::getLeaf)))
        .isEqualTo(Reason.WRONG_JSN);
    assertThat(
            lie(answer ->
                swapped(answer, KeyVersion.Builder::setSealLeaf, KeyVersion::getSealLeaf)))
        .isEqualTo(Reason.WRONG_JSN);
    assertThat(lie(answer -> swapped(answer, KeyVersion.Builder::setValue, KeyVersion::getValue)))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    states.historyTampering = UnaryOperator.identity();
    assertThat(lie(unused -> FakeStates.historyOf(fixture.remote(), Bytes.utf8("else"))))
        .as("of another key")
        .isEqualTo(Reason.WRONG_KEY);
  }

  private interface Setter {
    KeyVersion.Builder set(KeyVersion.Builder version, ByteString part);
  }

  private interface Getter {
    ByteString get(KeyVersion version);
  }

  /// The first version with a part of the third.
  private static StateHistory swapped(StateHistory answer, Setter set, Getter get) {
    KeyVersion.Builder first = answer.getVersions(0).toBuilder();
    return answer.toBuilder()
        .setVersions(0, set.set(first, get.get(answer.getVersions(2))))
        .build();
  }

  @Test
  void refusesVersionsOutOfOrder() {
    assertThat(
            lie(answer -> {
              StateHistory.Builder turned = answer.toBuilder().clearVersions().clearBefore();
              for (int i = answer.getVersionsCount() - 1; i >= 0; i--) {
                turned.addVersions(answer.getVersions(i).toBuilder().clearStill());
              }
              return turned.build();
            }))
        .isEqualTo(Reason.WRONG_JSN);
    assertThat(
            lie(answer ->
                answer.toBuilder()
                    .addVersions(answer.getVersions(3).toBuilder().clearStill())
                    .build()))
        .as("twice")
        .isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void refusesAStateOfAnotherBlockOrKey() {
    StateOfKey of2 = stock(2);
    assertThat(lieInVersion(0, version -> version.toBuilder().setStill(of2).build()))
        .isEqualTo(Reason.LEAF_MISMATCH);
    ByteString other = FakeStates.key(fixture.remote(), Bytes.utf8("a"), 5).getProof();
    assertThat(
            lieInVersion(
                0,
                version -> {
                  KeyVersion.Builder changed = version.toBuilder();
                  changed.getStillBuilder().setProof(other);
                  return changed.build();
                }))
        .isEqualTo(Reason.WRONG_KEY);
  }

  @Test
  void refusesAScanThatIsCalledOverOrDoesNotGoOn() {
    states.pageMax = 2;
    assertThat(lie(answer -> answer.toBuilder().setOver(true).build())).isEqualTo(Reason.MISSING);
    assertThat(lie(answer -> answer.toBuilder().setScannedTo(answer.getSize()).build()))
        .isEqualTo(Reason.MISSING);
    assertThat(lie(answer -> answer.toBuilder().setSize(answer.getSize() - 1).build()))
        .isEqualTo(Reason.WRONG_SIZE);
    states.pageMax = 100;
    assertThat(lie(answer -> answer.toBuilder().setPurgeJsn(3).build())).isEqualTo(Reason.MISSING);
  }

  /// A state that does not follow from the log is refused, too: here a seal wrote the key.
  @Test
  void refusesAStateThatTheWritesDoNotMake() throws TallyException {
    long seal = fixture.remote().seals.getLast();
    fixture.remote().stateTampering =
        writes ->
            writes.stream().map(entry -> StateEntry.tombstone(entry.key(), new Jsn(seal))).toList();
    state.put("stock", "4");
    assertThat(lie(UnaryOperator.identity())).isEqualTo(Reason.BROKEN_CHAIN);
  }
}
