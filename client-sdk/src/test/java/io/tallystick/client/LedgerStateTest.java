package io.tallystick.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.Problem;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.ValueUnavailableException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.client.state.StateItem;
import io.tallystick.client.state.StateReading;
import io.tallystick.client.state.StateSpan;
import io.tallystick.client.state.StateWalk;
import io.tallystick.client.state.StateWrite;
import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Feature;
import io.tallystick.journal.Limits;
import io.tallystick.journal.Op;
import io.tallystick.journal.Precondition;
import io.tallystick.journal.StateParams;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import io.tallystick.testkit.Seeded;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is put is what is read, as of any block, in ranges and histories, with the proofs
/// verified; conditions travel; what breaks a limit is told before anything is sent. Method: a fake
/// service that proves by the reference forest, with small nodes and partitions.
class LedgerStateTest {
  static final StateParams SMALL = new StateParams(4, 1, 4, 4, 1);

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;
  private LedgerState state;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust, LedgerOptions.DEFAULT.withState(SMALL));
    ledger = fixture.ledger;
    state = ledger.state();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private long height() {
    return fixture.remote().seals.size() - 1L;
  }

  private List<Op> opsOf(VerifiedReceipt receipt) throws TallyException {
    return ledger.get(receipt.jsn()).ops();
  }

  @Test
  void aLedgerIsFoundedWithAState() throws TallyException {
    assertThat(ledger.trust().genesis().stateParams()).isEqualTo(SMALL);
    assertThat(ledger.trust().genesis().features())
        .containsExactlyInAnyOrder(Feature.CLUE_TRIE, Feature.STATE_FOREST);
    LedgerHandle plain =
        fixture.client.createLedger(
            "default", List.of(fixture.owner), LedgerOptions.DEFAULT.withState().withoutClues());
    assertThat(plain.trust().genesis().stateParams())
        .isEqualTo(new StateParams(2_097_152, 1, 40, 32, 1));
    assertThat(plain.trust().genesis().features()).containsExactly(Feature.STATE_FOREST);
  }

  @Test
  void readsWhatWasPutAsOfAnyBlock() throws TallyException {
    assertThat(state.get("stock").answer())
        .isEqualTo(new StateAnswer.Absent(Bytes.utf8("stock"), true));
    VerifiedReceipt first = state.put("stock", "12");
    long before = height();
    VerifiedReceipt second = state.put("stock", "11");
    StateReading now = state.get("stock");
    assertThat(now.text()).contains("11");
    assertThat(now.entry().orElseThrow().jsn()).isEqualTo(second.jsn());
    assertThat(now.head().size().value()).isEqualTo(fixture.remote().size());
    StateReading old = state.get("stock", before);
    assertThat(old.text()).contains("12");
    assertThat(old.entry().orElseThrow().jsn()).isEqualTo(first.jsn());
    assertThat(old.height()).isEqualTo(before);
    VerifiedReceipt deletion = state.delete("stock");
    StateReading gone = state.get("stock");
    assertThat(gone.value()).isEmpty();
    assertThat(gone.answer())
        .isEqualTo(
            new StateAnswer.Deleted(StateEntry.tombstone(Bytes.utf8("stock"), deletion.jsn())));
  }

  @Test
  void theOperationsOfAJournalAreReadBack() throws TallyException {
    JournalDraft draft = JournalDraft.text("order 7").withClues(List.of("order 7"));
    VerifiedReceipt receipt =
        state.write(
            draft, List.of(StateWrite.put("order 7", "open"), StateWrite.delete("draft 7")));
    LedgerJournal journal = ledger.get(receipt.jsn());
    assertThat(journal.ops().stream().map(Op::key))
        .containsExactly(Bytes.utf8("order 7"), Bytes.utf8("draft 7"));
    assertThat(journal.ops().getFirst()).isInstanceOf(Op.Put.class);
    assertThat(journal.body().orElseThrow().payload()).isEqualTo(Bytes.utf8("order 7"));
    assertThat(journal.body().orElseThrow().values()).containsExactly(Bytes.utf8("open"));
    assertThat(ledger.list(receipt.jsn(), 1).journals().getFirst().ops()).isEqualTo(journal.ops());
  }

  @Test
  void conditionsTravel() throws TallyException {
    state.put("a", "1");
    Digest commit = commitOf("a");
    VerifiedReceipt receipt =
        state.write(
            StateWrite.put("a", "2").ifCommit(commit),
            StateWrite.put("b", "1").ifAbsent(),
            StateWrite.delete("c").ifVersion(new Jsn(2)));
    assertThat(opsOf(receipt).stream().map(Op::precondition))
        .containsExactly(
            new Precondition.IfCommit(commit),
            new Precondition.IfAbsent(),
            new Precondition.IfVersion(new Jsn(2)));
    assertThatThrownBy(() -> StateWrite.put("a", "1").ifAbsent().ifValue("2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has a condition already");
  }

  private Digest commitOf(String key) throws TallyException {
    return state.get(key).entry().orElseThrow().valueCommit().orElseThrow();
  }

  /// The value that is asked for is the one that the entry commits to: a put of the same value by
  /// somebody else, in between, is another commitment.
  @Test
  void ifValueSendsTheCommitmentOfTheEntryItRead() throws TallyException {
    state.put("stock", "12");
    Digest commit = commitOf("stock");
    VerifiedReceipt receipt = state.write(StateWrite.put("stock", "11").ifValue("12"));
    assertThat(opsOf(receipt).getFirst().precondition())
        .isEqualTo(new Precondition.IfCommit(commit));
    int sent = fixture.service.submissions.get();
    long standing = receipt.jsn().value();
    RequestRefusedException refused =
        refusal(() -> state.write(StateWrite.put("stock", "10").ifValue("12")));
    assertThat(refused.code()).isEqualTo("precondition_failed");
    assertThat(refused.detail()).contains("another value");
    assertThat(refused.jsn()).hasValue(standing);
    assertThat(refused.operation()).hasValue(0);
    assertThat(refused.key()).contains(Bytes.utf8("stock"));
    RequestRefusedException none =
        refusal(() -> state.write(StateWrite.delete("nothing").ifValue("12")));
    assertThat(none.detail()).contains("no value");
    assertThat(none.jsn()).isEmpty();
    assertThat(fixture.service.submissions.get()).isEqualTo(sent);
  }

  @Test
  void aRefusalOfTheServiceNamesOperationKeyAndTheJsnThatStands() {
    Problem problem =
        FakeService.problem("precondition_failed", false).toBuilder()
            .setJsn(17)
            .setOperation(3)
            .setKey(ByteString.copyFromUtf8("a"))
            .build();
    fixture.service.refusals.add(problem);
    RequestRefusedException refused =
        refusal(() -> state.write(StateWrite.put("a", "1").ifAbsent()));
    assertThat(refused.code()).isEqualTo("precondition_failed");
    assertThat(refused.jsn()).hasValue(17);
    assertThat(refused.operation()).hasValue(3);
    assertThat(refused.key()).contains(Bytes.utf8("a"));
  }

  @Test
  void refusalsOfReadsArriveAsTheyAre() throws TallyException {
    state.put("a", "1");
    state.put("a", "2");
    fixture.service.states.oldestKept = 2;
    RequestRefusedException pruned = refusal(() -> state.get("a", 1));
    assertThat(pruned.code()).isEqualTo("pruned");
    assertThat(pruned.limit()).hasValue(2);
    RequestRefusedException early = refusal(() -> state.get("a", 99));
    assertThat(early.code()).isEqualTo("out_of_range");
    assertThat(early.limit()).hasValue(2);
    LedgerHandle plain =
        fixture.client.createLedger("plain", List.of(fixture.owner), LedgerOptions.DEFAULT);
    assertThat(refusal(() -> plain.state().get("a")).code()).isEqualTo("feature_not_enabled");
  }

  private static RequestRefusedException refusal(ThrowingCallable call) {
    RequestRefusedException refused = catchThrowableOfType(RequestRefusedException.class, call);
    assertThat(refused).isNotNull();
    return refused;
  }

  @Test
  void aRangeIsOneStateWhateverIsWrittenMeanwhile() throws TallyException {
    for (int i = 0; i < 9; i++) {
      state.put("item " + i, "v" + i);
    }
    state.delete("item 4");
    long height = height();
    StateSpan items = StateSpan.prefix(Bytes.utf8("item ")).withPagesOf(3);
    StateWalk walk = state.range(items);
    assertThat(fixture.service.states.pages).isEqualTo(1);
    List<String> seen = new ArrayList<>(texts(walk.next()));
    assertThat(seen).containsExactly("v0", "v1", "v2");
    assertThat(fixture.service.states.pages).isEqualTo(1);
    state.put("item 5", "changed");
    state.delete("item 7");
    state.put("item 99", "new");
    for (List<StateItem> page = walk.next(); !page.isEmpty(); page = walk.next()) {
      seen.addAll(texts(page));
    }
    assertThat(seen).containsExactly("v0", "v1", "v2", "v3", "v5", "v6", "v7", "v8");
    assertThat(walk.block().height()).isEqualTo(height);
    assertThat(texts(state.range(items.withPagesOf(100)).next()))
        .containsExactly("v0", "v1", "v2", "v3", "changed", "v6", "v8", "new");
    assertThat(texts(state.range(items.asOf(1)).next())).containsExactly("v0");
    assertThat(texts(state.range("item 2", "item 6").next()))
        .containsExactly("v2", "v3", "changed");
    assertThat(state.range("x", "y").next()).isEmpty();
  }

  private static List<String> texts(List<StateItem> page) throws TallyException {
    List<String> texts = new ArrayList<>();
    for (StateItem item : page) {
      texts.add(item.text());
    }
    return texts;
  }

  @Test
  void valuesThatCannotBeGivenAreTyped() throws TallyException {
    ClientKey rex = ClientKey.generate();
    fixture.ledger.addMember(Role.REGULATOR, rex.publicKey());
    VerifiedReceipt receipt = state.put("person", "name");
    LedgerHandle both = fixture.client.open(fixture.id(), fixture.owner, rex);
    LedgerJournal written = both.get(receipt.jsn());
    Jsn occult = both.occult(LedgerRemovals.naming(List.of(written)), "").jsn();
    fixture.service.entryTampering =
        entry ->
            entry.getJsn() == receipt.jsn().value()
                ? entry.toBuilder().setBodyState(BodyState.BODY_ERASED).clearBody().build()
                : entry;
    for (BodyState said : List.of(BodyState.BODY_ERASED, BodyState.BODY_DAMAGED)) {
      withhold(said);
      StateReading reading = state.get("person");
      assertThat(reading.answer()).isInstanceOf(StateAnswer.Present.class);
      ValueUnavailableException missing =
          catchThrowableOfType(ValueUnavailableException.class, reading::value);
      assertThat(missing.state().name()).isEqualTo(said.name().substring(5));
      assertThat(missing.jsn()).isEqualTo(receipt.jsn());
      StateItem item = state.range(StateSpan.all()).next().getFirst();
      assertThat(item.key()).isEqualTo(Bytes.utf8("person"));
      assertThatThrownBy(item::value).isInstanceOf(ValueUnavailableException.class);
      assertThatThrownBy(() -> state.write(StateWrite.delete("person").ifValue("name")))
          .isInstanceOf(ValueUnavailableException.class);
      boolean erased = said == BodyState.BODY_ERASED;
      for (Optional<ErasedBody> by : List.of(reading.erasure(), item.erasure())) {
        assertThat(by.map(ErasedBody::removal))
            .isEqualTo(erased ? Optional.of(occult) : Optional.empty());
      }
    }
  }

  /// The service's answers about one key are without its value from here on.
  private void withhold(BodyState said) {
    fixture.service.states.keyTampering =
        answer -> answer.toBuilder().clearValue().setValueState(said).build();
    fixture.service.states.pageTampering =
        (unused, page) -> {
          var without = page.getValues(0).toBuilder().clearValue().setValueState(said);
          return page.toBuilder().setValues(0, without).build();
        };
    fixture.service.states.historyTampering =
        history -> {
          var without = history.getVersions(0).toBuilder().clearValue().setValueState(said);
          return history.toBuilder().setVersions(0, without).build();
        };
  }

  @Test
  void aValueWithheldWithoutAnOccultIsRefused() throws TallyException {
    state.put("person", "name");
    withhold(BodyState.BODY_ERASED);
    assertThat(ServiceFixture.refusal(() -> state.get("person")).reason())
        .isEqualTo(Reason.MISSING);
    assertThat(ServiceFixture.refusal(() -> state.range(StateSpan.all()).next()).reason())
        .isEqualTo(Reason.MISSING);
    assertThat(ServiceFixture.refusal(() -> state.history("person").next()).reason())
        .isEqualTo(Reason.MISSING);
  }

  // ---- limits

  private void breaks(String message, StateWrite... writes) {
    int sent = fixture.service.submissions.get();
    assertThatThrownBy(() -> state.write(writes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
    assertThat(fixture.service.submissions.get()).isEqualTo(sent);
  }

  @Test
  void whatBreaksALimitIsNotSent() throws TallyException {
    breaks("no writes");
    breaks("operation 0 has a key of 0 bytes, want 1 to 256", StateWrite.put("", "v"));
    breaks(
        "operation 1 has a key of 257 bytes, want 1 to 256",
        StateWrite.put("k", "v"),
        StateWrite.delete("k".repeat(257)));
    breaks(
        "operation 1 has the key of an earlier one",
        StateWrite.put("k", "v"),
        StateWrite.delete("k"));
    breaks("10001 operations, at most 10000", many(Limits.OPS_MAX + 1));
    Bytes half = Bytes.wrap(new byte[Limits.REQUEST_BYTES_MAX / 2]);
    breaks(
        "payload, keys and values of 1114114 bytes, at most 1114112 in one request",
        StateWrite.put(Bytes.utf8("a"), half),
        StateWrite.put(Bytes.utf8("b"), half));
    breaks(
        "at most 1114112",
        StateWrite.put(Bytes.utf8("a"), Bytes.wrap(new byte[Limits.REQUEST_BYTES_MAX - 100])));
    assertThatThrownBy(() -> state.get("")).hasMessageContaining("key of 0 bytes");
    assertThatThrownBy(() -> state.history("k".repeat(257)))
        .hasMessageContaining("key of 257 bytes");
    assertThatThrownBy(() -> state.get("a", -1)).hasMessageContaining("height -1");
    assertThatThrownBy(() -> state.range("b", "a")).hasMessageContaining("no key is from");
    state.write(many(Limits.OPS_MAX));
    assertThat(state.get("key 9999").text()).contains("v");
  }

  /// Each request of a batch has the limit of a request alone.
  @Test
  void aRequestOfABatchHasItsOwnLimit() {
    Bytes large = Bytes.wrap(new byte[Limits.REQUEST_BYTES_MAX - 100]);
    List<JournalDraft> batch =
        List.of(
            JournalDraft.text("small"),
            JournalDraft.ofOps(List.of(DraftOp.put(Bytes.utf8("a"), large))));
    int sent = fixture.service.submissions.get();
    assertThatThrownBy(() -> ledger.appendBatch(batch))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 1114112");
    assertThat(fixture.service.submissions.get()).isEqualTo(sent);
  }

  private static StateWrite[] many(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> StateWrite.put("key " + i, "v"))
        .toArray(StateWrite[]::new);
  }

  @Test
  void theEndOfAPrefixIsTheNextOneOrNone() {
    assertThat(StateSpan.prefix(Bytes.fromHex("61ff")).to()).contains(Bytes.fromHex("62"));
    assertThat(StateSpan.prefix(Bytes.fromHex("6162")).to()).contains(Bytes.fromHex("6163"));
    assertThat(StateSpan.prefix(Bytes.fromHex("ffff")).to()).isEmpty();
    assertThat(StateSpan.prefix(Bytes.EMPTY).to()).isEmpty();
  }

  // ---- everything at once

  /// Few keys, partitions of a few entries: closing and folding happen, and reads are a map's.
  @Seeded(runs = 3)
  void readsAreThoseOfAMap(SplittableRandom random) throws TallyException {
    List<Map<String, String>> blocks = new ArrayList<>(List.of(new TreeMap<>()));
    for (int block = 0; block < 30; block++) {
      Map<String, String> next = new TreeMap<>(blocks.getLast());
      Map<String, StateWrite> writes = new TreeMap<>();
      for (int i = 0; i <= random.nextInt(5); i++) {
        String key = "k" + random.nextInt(12);
        boolean delete = random.nextInt(4) == 0;
        writes.put(
            key, delete ? StateWrite.delete(key) : StateWrite.put(key, "v" + block + "." + i));
        if (delete) {
          next.remove(key);
        } else {
          next.put(key, "v" + block + "." + i);
        }
      }
      state.write(writes.values().toArray(StateWrite[]::new));
      blocks.add(next);
    }
    for (int height = 0; height < blocks.size(); height += 1 + random.nextInt(9)) {
      Map<String, String> want = blocks.get(height);
      for (int i = 0; i < 12; i++) {
        assertThat(state.get("k" + i, height).text())
            .isEqualTo(Optional.ofNullable(want.get("k" + i)));
      }
      StateWalk walk = state.range(StateSpan.all().asOf(height).withPagesOf(4));
      List<String> seen = new ArrayList<>();
      for (List<StateItem> page = walk.next(); !page.isEmpty(); page = walk.next()) {
        seen.addAll(texts(page));
      }
      assertThat(seen).containsExactlyElementsOf(want.values());
    }
  }
}
