package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.Clue;
import io.tallystick.api.v1.Lineage;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.lineage.ClueLineage;
import io.tallystick.client.lineage.LineageRange;
import io.tallystick.journal.Commitments;
import io.tallystick.lineage.ClueProof;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageProof;
import io.tallystick.merkle.patricia.ClueValue;
import io.tallystick.merkle.patricia.TrieProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.ReferenceClues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each false answer about a clue that a service can give with proofs of its own making, and how
/// the client refuses it. The clue has five journals; one block each, another clue's between them.
class ForgedLineageTest {
  private static final String CLUE = "invoice 7";
  private static final int COUNT = 5;

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;
  private FakeLedger remote;
  private final List<Long> jsns = new ArrayList<>();

  /// Just behind the third journal.
  private TreeSize older = new TreeSize(1);

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
    remote = fixture.remote();
    for (int i = 0; i < COUNT; i++) {
      jsns.add(append(CLUE));
      if (i == 2) {
        older = new TreeSize(remote.size());
      }
      append("another");
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private long append(String clue) throws TallyException {
    return ledger.append(JournalDraft.text("j").withClues(List.of(clue))).jsn().value();
  }

  private Digest id(String clue) {
    return Commitments.clueId(ledger.id(), clue);
  }

  // ---- what the lies are made of

  private Lineage page(int first, int count) {
    return FakeClues.page(remote, id(CLUE), first, count, remote.size());
  }

  private static ByteString wire(Bytes bytes) {
    return ByteString.copyFrom(bytes.toArray());
  }

  private static Lineage withProof(Lineage answer, UnaryOperator<LineageProof> change) {
    try {
      LineageProof proof = LineageProof.decode(Bytes.wrap(answer.getProof().toByteArray()));
      return answer.toBuilder().setProof(wire(change.apply(proof).encode())).build();
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static UnaryOperator<LineageProof> leaves(UnaryOperator<List<Bytes>> change) {
    return proof -> {
      List<Bytes> changed = change.apply(new ArrayList<>(proof.leaves()));
      return new LineageProof(proof.clue(), proof.first(), proof.roots(), changed);
    };
  }

  private static UnaryOperator<LineageProof> clueProof(ClueProof other) {
    return proof -> new LineageProof(other, proof.first(), proof.roots(), proof.leaves());
  }

  /// The trie proof that the clue has another value, under the true seal.
  private ClueProof saying(ClueValue value) {
    ReferenceClues clues = remote.clues(remote.size());
    clues.put(id(CLUE), value);
    ClueProof right = FakeClues.clueProof(remote, id(CLUE), remote.size());
    return new ClueProof(right.seal(), right.path(), clues.proof(id(CLUE)));
  }

  private ClueValue value() {
    return remote.clues(remote.size()).value(id(CLUE));
  }

  // ---- the clients that are answered

  private Reason lineage() {
    return reason(() -> ledger.lineage(CLUE));
  }

  private Reason asOf() {
    return reason(() -> ledger.lineageAsOf(CLUE, older));
  }

  private Reason reason(ThrowingCallable call) {
    SignedHeads before = heads();
    VerificationException refused = refusal(call);
    assertThat(refused).isNotNull();
    assertThat(heads()).isEqualTo(before);
    return refused.reason();
  }

  private record SignedHeads(TreeSize size, Digest root) {}

  private SignedHeads heads() {
    var head = ledger.trustedHead().orElseThrow();
    return new SignedHeads(head.size(), head.root().digest());
  }

  private void answersLineage(UnaryOperator<Lineage> lie) {
    fixture.service.clues.lineageTampering = (unused, answer) -> lie.apply(answer);
  }

  private void answersLaterPages(UnaryOperator<Lineage> lie) {
    fixture.service.clues.journalsMax = 2;
    fixture.service.clues.lineageTampering =
        (request, answer) -> request.hasIndex() ? lie.apply(answer) : answer;
  }

  private Reason membership(UnaryOperator<Lineage> lie) {
    fixture.service.clues.membershipTampering = lie;
    return reason(() -> ledger.membership(CLUE, new Jsn(jsns.get(1))));
  }

  private Reason clue(UnaryOperator<Clue> lie) {
    fixture.service.clues.clueTampering = lie;
    return reason(() -> ledger.clue(CLUE));
  }

  private static UnaryOperator<Clue> proof(ClueProof proof) {
    return answer -> answer.toBuilder().setProof(wire(proof.encode())).build();
  }

  // ---- the lies

  @Test
  void theTruthIsBelieved() throws TallyException {
    assertThat(ledger.clue(CLUE).count()).isEqualTo(COUNT);
    assertThat(shown(ledger.lineage(CLUE))).isEqualTo(jsns);
    assertThat(shown(ledger.lineageAsOf(CLUE, older))).isEqualTo(jsns.subList(0, 3));
    assertThat(ledger.membership(CLUE, new Jsn(jsns.get(1))).jsn()).isEqualTo(jsns.get(1));
    fixture.service.clues.journalsMax = 2;
    assertThat(shown(ledger.lineage(CLUE))).isEqualTo(jsns);
    assertThat(shown(ledger.lineageAsOf(CLUE, older))).isEqualTo(jsns.subList(0, 3));
    assertThat(ledger.clue("unknown")).isInstanceOf(ClueState.NeverUsed.class);
    assertThat(ledger.lineage("unknown").entries()).isEmpty();
  }

  private static List<Long> shown(ClueLineage lineage) {
    return lineage.entries().stream().map(LineageEntry::jsn).toList();
  }

  /// First as a right proof of the others, then as if they were all.
  @Test
  void refusesAWithheldNewestJournal() {
    fixture.service.clues.lineageTampering =
        (request, unused) -> request.hasIndex() ? page(0, 0) : page(0, COUNT - 1);
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    answersLineage(unused -> page(0, COUNT - 1));
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    answersLineage(answer -> withProof(answer, leaves(all -> all.subList(0, COUNT - 1))));
    assertThat(lineage()).isEqualTo(Reason.WRONG_PATH_LENGTH);
  }

  /// As of an older size the newest is the third.
  @Test
  void refusesAWithheldNewestJournalOfAnOlderSize() {
    fixture.service.clues.lineageTampering =
        (request, unused) -> request.hasIndex() ? page(0, 0) : page(0, 2);
    assertThat(asOf()).isEqualTo(Reason.MISSING);
    answersLineage(unused -> page(0, 2));
    assertThat(asOf()).isEqualTo(Reason.MISSING);
    answersLineage(unused -> page(0, 0));
    assertThat(asOf()).isEqualTo(Reason.MISSING);
  }

  @Test
  void refusesAWithheldFirstJournal() {
    answersLineage(unused -> page(1, COUNT - 1));
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    answersLineage(unused -> page(1, 3));
    assertThat(asOf()).isEqualTo(Reason.MISSING);
  }

  @Test
  void refusesAWithheldMiddleJournal() {
    answersLineage(answer ->
        withProof(
            answer,
            leaves(all -> {
              all.remove(2);
              return all;
            })));
    assertThat(lineage()).isEqualTo(Reason.WRONG_PATH_LENGTH);
    answersLineage(unused ->
        withProof(
            page(0, COUNT - 1),
            leaves(all -> {
              all.remove(1);
              all.add(remote.entries.get(jsns.getLast().intValue()).leaf());
              return all;
            })));
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    answersLaterPages(unused -> page(3, 2));
    assertThat(lineage()).isEqualTo(Reason.MISSING);
  }

  @Test
  void refusesASwappedEntry() {
    UnaryOperator<Lineage> swaps =
        answer ->
            withProof(
                answer,
                leaves(all -> {
                  Bytes first = all.getFirst();
                  all.set(0, all.get(1));
                  all.set(1, first);
                  return all;
                }));
    answersLineage(swaps);
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(asOf()).isEqualTo(Reason.ROOT_MISMATCH);
    UnaryOperator<Lineage> another =
        answer ->
            withProof(
                answer,
                leaves(all -> {
                  all.set(0, remote.entries.get(jsns.getFirst().intValue() + 2).leaf());
                  return all;
                }));
    answersLineage(another);
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(membership(another)).isEqualTo(Reason.ROOT_MISMATCH);
  }

  /// The seal of an older block was true; under the newest head it is not the last leaf.
  @Test
  void refusesAStaleRootUnderTheNewestHead() {
    int size = Math.toIntExact(older.value());
    ClueProof stale = FakeClues.clueProof(remote, id(CLUE), size);
    Bytes all = FakeClues.proof(remote, id(CLUE), 0, 3, size).encode();
    assertThat(clue(proof(stale))).isEqualTo(Reason.WRONG_JSN);
    answersLineage(answer -> answer.toBuilder().setProof(wire(all)).build());
    assertThat(lineage()).isEqualTo(Reason.WRONG_JSN);
    assertThat(membership(answer -> withProof(answer, clueProof(stale))))
        .isEqualTo(Reason.WRONG_JSN);
  }

  /// All of the answer is of an older block, and so was true.
  @Test
  void refusesAnOlderHead() {
    int size = Math.toIntExact(older.value());
    answersLineage(unused -> FakeClues.page(remote, id(CLUE), 0, 3, size));
    assertThat(lineage()).isEqualTo(Reason.ROLLBACK);
    assertThat(asOf()).isEqualTo(Reason.ROLLBACK);
    assertThat(clue(unused -> FakeClues.clue(remote, id(CLUE), size))).isEqualTo(Reason.ROLLBACK);
    assertThat(membership(unused -> FakeClues.page(remote, id(CLUE), 1, 1, size)))
        .isEqualTo(Reason.ROLLBACK);
  }

  @Test
  void refusesAnInflatedCount() {
    ClueProof more = saying(new ClueValue(COUNT + 1, value().root(), 0));
    assertThat(clue(proof(more))).isEqualTo(Reason.ROOT_MISMATCH);
    answersLineage(answer -> withProof(answer, clueProof(more)));
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(membership(answer -> withProof(answer, clueProof(more))))
        .isEqualTo(Reason.ROOT_MISMATCH);
  }

  /// What the answer says beside its proof is nobody's business.
  @Test
  void believesNoCountBesideTheProof() throws TallyException {
    fixture.service.clues.clueTampering = answer -> answer.toBuilder().setCount(99).build();
    assertThat(ledger.clue(CLUE).count()).isEqualTo(COUNT);
    answersLineage(answer -> answer.toBuilder().setTotal(1).clearNextIndex().setFirst(3).build());
    assertThat(shown(ledger.lineage(CLUE))).isEqualTo(jsns);
  }

  @Test
  void refusesAnotherCluesProof() {
    ClueProof other = FakeClues.clueProof(remote, id("another"), remote.size());
    assertThat(clue(proof(other))).isEqualTo(Reason.ROOT_MISMATCH);
    Lineage others = FakeClues.page(remote, id("another"), 0, COUNT, remote.size());
    answersLineage(unused -> others);
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(membership(unused -> others)).isEqualTo(Reason.ROOT_MISMATCH);
    // The clue's own state, with the other's journals.
    answersLineage(answer -> withProof(others, clueProof(right())));
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
  }

  private ClueProof right() {
    return FakeClues.clueProof(remote, id(CLUE), remote.size());
  }

  @Test
  void refusesAbsenceOfAClueThatIsThere() {
    ClueProof cut =
        new ClueProof(
            right().seal(),
            right().path(),
            new TrieProof(right().trie().nodes().subList(0, right().trie().nodes().size() - 1)));
    assertThat(clue(proof(cut))).isEqualTo(Reason.WRONG_PATH_LENGTH);
    ClueProof empty = new ClueProof(right().seal(), right().path(), new TrieProof(List.of()));
    assertThat(clue(proof(empty))).isEqualTo(Reason.WRONG_PATH_LENGTH);
    // From before the clue was used, when it was true.
    ClueProof before = FakeClues.clueProof(remote, id(CLUE), jsns.getFirst().intValue());
    assertThat(clue(proof(before))).isEqualTo(Reason.WRONG_JSN);
    // A true state, and no journals.
    answersLineage(answer -> answer.toBuilder().clearProof().build());
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    assertThat(reason(() -> ledger.lineageFile(CLUE))).isEqualTo(Reason.MISSING);
    answersLineage(answer ->
        answer.toBuilder().clearProof().setClue(proof(before).apply(answer.getClue())).build());
    assertThat(lineage()).isEqualTo(Reason.WRONG_JSN);
    assertThat(membership(answer -> answer.toBuilder().clearProof().build()))
        .isEqualTo(Reason.MISSING);
  }

  /// The first page is right, what follows is not.
  @Test
  void refusesALieOnALaterPage() {
    answersLaterPages(answer -> withProof(answer, leaves(List::reversed)));
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
    answersLaterPages(unused -> page(0, 2));
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    answersLaterPages(answer -> answer.toBuilder().clearProof().build());
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    assertThat(asOf()).isEqualTo(Reason.MISSING);
    answersLaterPages(answer -> answer.toBuilder().setProof(ByteString.copyFromUtf8("x")).build());
    assertThat(lineage()).isEqualTo(Reason.MALFORMED);
    answersLaterPages(unused -> FakeClues.page(remote, id("another"), 2, 2, remote.size()));
    assertThat(lineage()).isEqualTo(Reason.ROOT_MISMATCH);
  }

  @Test
  void refusesALaterPageOfAnotherHead() throws TallyException {
    int size = Math.toIntExact(older.value());
    answersLaterPages(unused -> FakeClues.page(remote, id(CLUE), 2, 1, size));
    assertThat(lineage()).isEqualTo(Reason.WRONG_JSN);

    int first = remote.size();
    try (TallyClient other = ServiceFixture.connect(fixture.service, trust.resolve("other"))) {
      other
          .open(ledger.id(), fixture.owner)
          .append(JournalDraft.text("between the pages").withClues(List.of(CLUE)));
    }
    fixture.service.clues.lineageTampering =
        (request, unused) ->
            FakeClues.page(
                remote,
                id(CLUE),
                (int) request.getIndex(),
                2,
                request.hasIndex() ? remote.size() : first);
    assertThat(refusal(() -> ledger.lineage(CLUE)).reason()).isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void refusesTheMembershipOfAnotherJournal() {
    assertThat(membership(unused -> page(0, 1))).isEqualTo(Reason.WRONG_JSN);
    assertThat(membership(unused -> page(1, 2))).isEqualTo(Reason.WRONG_JSN);
    assertThat(membership(unused -> page(0, 2))).isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void refusesADeletionThatTheTrieDoesNotHold() {
    fixture.service.clues.refusal = FakeClues.deleted(jsns.getLast());
    assertThat(lineage()).isEqualTo(Reason.MISSING);
    assertThat(reason(() -> ledger.walkLineage(CLUE, LineageRange.backwards())))
        .isEqualTo(Reason.MISSING);
    ClueProof deleted = saying(new ClueValue(COUNT, value().root(), jsns.getLast()));
    assertThat(clue(proof(deleted))).isEqualTo(Reason.ROOT_MISMATCH);
  }

  /// A clue that was deleted later was not deleted then.
  @Test
  void refusesADeletionThatCameLaterAsAnAnswerForAnOlderSize() throws TallyException {
    long deleted = ledger.deleteClue(CLUE).jsn().value();
    assertThat(shown(ledger.lineageAsOf(CLUE, older))).isEqualTo(jsns.subList(0, 3));
    fixture.service.clues.refusal = FakeClues.deleted(deleted);
    assertThat(asOf()).isEqualTo(Reason.MISSING);
    fixture.service.clues.refusal = FakeClues.deleted(deleted - 2);
    assertThat(lineage()).isEqualTo(Reason.MISSING);
  }
}
