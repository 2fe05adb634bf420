package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.tallystick.api.v1.JournalAnswer;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalOutcome;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.Role;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: of journals that are asked for together each is verified as if it were read alone, also
/// when its batch's signatures were verified before. Method: two batches of ten, one after the
/// other, whose proofs, signatures and places a service mixes up.
class ReadTogetherTest {
  private static final int BATCH = 10;
  private static final Jsn FIRST = new Jsn(2);
  private static final Jsn OTHER = new Jsn(2 + BATCH + 1);

  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;

  @BeforeEach
  void appendTwoBatches() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
    assertThat(ledger.appendBatch(drafts("first")).firstJsn()).isEqualTo(FIRST);
    assertThat(ledger.appendBatch(drafts("other")).firstJsn()).isEqualTo(OTHER);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static List<JournalDraft> drafts(String name) {
    return IntStream.range(0, BATCH).mapToObj(i -> JournalDraft.text(name + " " + i)).toList();
  }

  private static Jsn at(Jsn first, int index) {
    return new Jsn(first.value() + index);
  }

  private static List<Jsn> all() {
    List<Jsn> jsns = new ArrayList<>();
    for (int i = 0; i < 2 * (BATCH + 1); i++) {
      jsns.add(new Jsn(2 + i));
    }
    Collections.reverse(jsns);
    return jsns;
  }

  private List<LedgerJournal> read(List<Jsn> jsns) throws TallyException {
    List<LedgerJournal> journals = new ArrayList<>();
    for (JournalOutcome outcome : ledger.get(jsns)) {
      journals.add(outcome.orThrow());
    }
    return journals;
  }

  @Test
  void givesWhatSingleReadsGiveInTheOrderAskedFor() throws TallyException {
    List<LedgerJournal> journals = read(all());

    assertThat(journals.stream().map(LedgerJournal::jsn)).isEqualTo(all());
    for (LedgerJournal journal : journals) {
      assertThat(ledger.get(journal.jsn())).isEqualTo(journal);
    }
    LedgerJournal seal = journals.getFirst();
    assertThat(seal.signers()).isEmpty();
    assertThat(journals.get(1).signers()).containsExactly(fixture.owner.kid());
  }

  @Test
  void asksAgainForWhatAMessageHadNoRoomFor() throws TallyException {
    fixture.service.answersMax = 3;

    assertThat(read(all()).stream().map(LedgerJournal::jsn)).isEqualTo(all());
  }

  @Test
  void oneThatCannotBeReadFailsAlone() throws TallyException {
    List<JournalOutcome> outcomes = ledger.get(List.of(FIRST, new Jsn(9_999), OTHER));

    assertThat(outcomes.getFirst().orThrow().jsn()).isEqualTo(FIRST);
    assertThat(outcomes.getLast().orThrow().jsn()).isEqualTo(OTHER);
    RequestRefusedException refused =
        catchThrowableOfType(RequestRefusedException.class, outcomes.get(1)::orThrow);
    assertThat(refused.code()).isEqualTo("out_of_range");
    assertThat(outcomes.get(1).jsn()).isEqualTo(new Jsn(9_999));
  }

  @Test
  void oneThatIsTamperedWithFailsAlone() throws TallyException {
    read(all());
    fixture.service.answersTampering =
        answers -> replaced(answers, 1, entry -> entry.setBody(flipped(entry.getBody())));

    List<JournalOutcome> outcomes = ledger.get(List.of(FIRST, at(FIRST, 1), OTHER));

    assertThat(outcomes.getFirst().orThrow().jsn()).isEqualTo(FIRST);
    assertThat(refusal(outcomes.get(1)::orThrow).reason()).isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(outcomes.getLast().orThrow().jsn()).isEqualTo(OTHER);
  }

  @Test
  void refusesJournalsInEachOthersPlaces() throws TallyException {
    fixture.service.answersTampering = answers -> List.of(answers.get(1), answers.get(0));

    for (JournalOutcome outcome : ledger.get(List.of(FIRST, at(FIRST, 1)))) {
      assertThat(refusal(outcome::orThrow).reason()).isEqualTo(Reason.WRONG_JSN);
    }
  }

  @Test
  void refusesAnAnswerThatSaysNothingAndAnswersNobodyAskedFor() {
    fixture.service.answersTampering = unused -> List.of(JournalAnswer.getDefaultInstance());
    assertThat(lieAbout(FIRST)).isEqualTo(Reason.MISSING);

    fixture.service.answersTampering = answers -> List.of(answers.getFirst(), answers.getFirst());
    assertThat(refusal(() -> ledger.get(List.of(FIRST))).reason()).isEqualTo(Reason.MALFORMED);

    fixture.service.answersTampering = unused -> List.of();
    assertThat(refusal(() -> ledger.get(List.of(FIRST))).reason()).isEqualTo(Reason.MALFORMED);
  }

  private Reason lieAbout(Jsn jsn) {
    return lieTo(ledger, jsn);
  }

  private static Reason lieTo(LedgerHandle reader, Jsn jsn) {
    return refusal(() -> reader.get(List.of(jsn)).getFirst().orThrow()).reason();
  }

  /// Each false answer twice: to a handle that has not verified the batch before, and to one that
  /// has.
  private Reason reasonFor(UnaryOperator<JournalEntry.Builder> tampering) throws TallyException {
    fixture.service.answersTampering = UnaryOperator.identity();
    read(all());
    fixture.service.answersTampering = answers -> replaced(answers, 0, tampering);
    Reason known = lieAbout(FIRST);
    assertThat(lieTo(fixture.client.open(ledger.id()), FIRST)).isEqualTo(known);
    return known;
  }

  private JournalEntry honest(Jsn jsn) {
    List<JournalEntry> seen = new ArrayList<>();
    fixture.service.answersTampering =
        answers -> {
          seen.add(answers.getFirst().getJournal());
          return answers;
        };
    try {
      ledger.get(List.of(jsn));
    } catch (TallyException e) {
      throw new AssertionError(e);
    }
    fixture.service.answersTampering = UnaryOperator.identity();
    return seen.getFirst();
  }

  @Test
  void refusesAnotherMembersProof() throws TallyException {
    ByteString neighbours = honest(at(FIRST, 1)).getBatchProof();
    assertThat(reasonFor(entry -> entry.setBatchProof(neighbours))).isEqualTo(Reason.LEAF_MISMATCH);
  }

  /// The neighbour's path under this journal's own index.
  @Test
  void refusesAnotherMembersPath() throws TallyException {
    InclusionProof neighbours = proof(honest(at(FIRST, 1)).getBatchProof());
    ByteString forged = wire(new InclusionProof(0, BATCH, neighbours.path()));
    assertThat(reasonFor(entry -> entry.setBatchProof(forged))).isEqualTo(Reason.BAD_SIGNATURE);
  }

  @Test
  void refusesAForgedPathHash() throws TallyException {
    InclusionProof own = proof(honest(FIRST).getBatchProof());
    for (int i = 0; i < own.path().size(); i++) {
      List<Digest> path = new ArrayList<>(own.path());
      path.set(i, Digest.ZERO);
      ByteString forged = wire(new InclusionProof(0, BATCH, path));
      assertThat(reasonFor(entry -> entry.setBatchProof(forged))).isEqualTo(Reason.BAD_SIGNATURE);
    }
  }

  @Test
  void refusesAMissingProof() throws TallyException {
    assertThat(reasonFor(JournalEntry.Builder::clearBatchProof)).isEqualTo(Reason.MALFORMED);
    assertThat(reasonFor(JournalEntry.Builder::clearInclusion)).isEqualTo(Reason.MALFORMED);
  }

  @Test
  void refusesAnotherBatchsSignature() throws TallyException {
    JournalEntry other = honest(OTHER);
    assertThat(reasonFor(entry -> entry.setAttestation(other.getAttestation())))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(
            reasonFor(entry ->
                entry.setAttestation(other.getAttestation()).setBatchProof(other.getBatchProof())))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
  }

  @Test
  void refusesAnotherLeafsInclusion() throws TallyException {
    JournalEntry neighbour = honest(at(FIRST, 1));
    assertThat(reasonFor(entry -> entry.setInclusion(neighbour.getInclusion())))
        .isEqualTo(Reason.WRONG_JSN);
    InclusionProof path = proof(neighbour.getInclusion());
    ByteString forged = wire(new InclusionProof(FIRST.value(), path.size(), path.path()));
    assertThat(reasonFor(entry -> entry.setInclusion(forged))).isEqualTo(Reason.ROOT_MISMATCH);
  }

  /// True in the tree before, which is not the one that was asked for.
  @Test
  void refusesInclusionInAnotherTree() throws TallyException {
    int size = (int) OTHER.value();
    ByteString older =
        wire(
            new InclusionProof(
                FIRST.value(),
                size,
                fixture.remote().tree().inclusionPath((int) FIRST.value(), size)));
    assertThat(reasonFor(entry -> entry.setInclusion(older))).isEqualTo(Reason.WRONG_JSN);
  }

  @Test
  void refusesALeafWithItsSaltChanged() throws TallyException {
    assertThat(reasonFor(entry -> entry.setSalt(flipped(entry.getSalt()))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
  }

  /// Verified once by a key that counted then, and asked for again when it does not.
  @Test
  void asksForTheSignersMembershipEachTime() throws TallyException {
    ClientKey member = ClientKey.generate();
    ledger.addMember(Role.NORMAL, member.publicKey());
    LedgerHandle theirs = fixture.client.open(ledger.id(), member);
    Jsn jsn = theirs.appendBatch(drafts("theirs")).firstJsn();

    for (int i = 0; i < 2; i++) {
      List<JournalOutcome> outcomes = ledger.get(List.of(FIRST, jsn, at(jsn, 1)));
      assertThat(outcomes.getFirst().orThrow().signers()).containsExactly(fixture.owner.kid());
      assertThat(outcomes.get(1).orThrow().signers()).containsExactly(member.kid());
      assertThat(outcomes.get(2).orThrow().signers()).containsExactly(member.kid());
    }
    fixture.service.hiddenMember = member.kid();
    assertThat(lieAbout(jsn)).isEqualTo(Reason.NOT_A_MEMBER);
  }

  @Test
  void asksForOneAtLeastAndAThousandAtMost() {
    assertThatThrownBy(() -> ledger.get(List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ledger.get(Collections.nCopies(1001, FIRST)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static List<JournalAnswer> replaced(
      List<JournalAnswer> answers, int index, UnaryOperator<JournalEntry.Builder> tampering) {
    List<JournalAnswer> changed = new ArrayList<>(answers);
    JournalEntry.Builder entry = answers.get(index).getJournal().toBuilder();
    changed.set(index, JournalAnswer.newBuilder().setJournal(tampering.apply(entry)).build());
    return changed;
  }

  private static InclusionProof proof(ByteString encoded) {
    try {
      return InclusionProofBytes.decode(Bytes.wrap(encoded.toByteArray()));
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  private static ByteString wire(InclusionProof proof) {
    return ByteString.copyFrom(InclusionProofBytes.encode(proof).toArray());
  }

  private static ByteString flipped(ByteString bytes) {
    byte[] changed = bytes.toByteArray();
    changed[changed.length - 1] ^= 1;
    return ByteString.copyFrom(changed);
  }
}
