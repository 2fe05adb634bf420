package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static io.tallystick.audit.Logs.assertFault;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.source.LogEntry;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestDraft;
import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: every lie is caught at the exact first faulty jsn, for the right reason. Method: the
/// sample log, changed in one way. "Resealed" is what an operator does who holds the service's own
/// keys: jsns, seals, roots and heads are right again, only clients' signatures cannot be made.
public class TamperingTest {

  @Test
  void catchesADroppedLeaf() {
    for (int jsn = 1; jsn < Logs.SIZE - 1; jsn++) {
      List<LogEntry> entries = new ArrayList<>(MemoryLog.of(Logs.sample()).entries());
      entries.remove(jsn);
      assertFault(MemoryLog.of(Logs.sample()).withEntries(entries), jsn, FaultKind.WRONG_JSN);
    }
  }

  @Test
  void catchesSwappedAndDuplicatedLeaves() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    List<LogEntry> swapped = new ArrayList<>(log.entries());
    Collections.swap(swapped, 4, 5);
    assertFault(log.withEntries(swapped), 4, FaultKind.WRONG_JSN);
    List<LogEntry> doubled = new ArrayList<>(log.entries());
    doubled.add(11, doubled.get(10));
    assertFault(log.withEntries(doubled), 11, FaultKind.WRONG_JSN);
  }

  @Test
  void catchesAResealedLogWithoutOneJournalOfABatch() throws Exception {
    List<ReferenceEntry> entries = entries();
    entries.remove(4);
    assertFault(resealed(entries), 4, FaultKind.WRONG_BATCH);
  }

  @Test
  void catchesAResealedLogWithSwappedJournalsOfABatch() throws Exception {
    List<ReferenceEntry> entries = entries();
    Collections.swap(entries, 4, 5);
    assertFault(resealed(entries), 4, FaultKind.WRONG_BATCH);
  }

  @Test
  void namesTheWholeBatchWhenOnlyItsSignatureCanTell() throws Exception {
    List<ReferenceEntry> entries = entries();
    ReferenceEntry fourth = entries.get(4);
    ReferenceEntry fifth = entries.get(5);
    entries.set(4, renumbered(fifth, 1, 4));
    entries.set(5, renumbered(fourth, 2, 4));
    assertFault(resealed(entries), 3, FaultKind.BAD_SIGNATURE);
    assertThat(Logs.audit(resealed(entries)).firstFault().orElseThrow().detail())
        .contains("journals 3 to 6");
  }

  @Test
  void catchesABatchThatIsSealedInTheMiddle() throws Exception {
    List<ReferenceEntry> entries = entries();
    entries.add(5, entries.get(7));
    assertFault(resealed(entries), 5, FaultKind.WRONG_BATCH);
  }

  @Test
  void catchesABatchCutShort() throws Exception {
    List<ReferenceEntry> entries = entries();
    for (int i = 0; i < 3; i++) {
      entries.set(3 + i, renumbered(entries.get(3 + i), i, 3));
    }
    entries.remove(6);
    assertFault(resealed(entries), 3, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void catchesASubmissionThatStandsTwice() throws Exception {
    List<ReferenceEntry> entries = entries();
    entries.add(7, entries.get(2));
    assertFault(resealed(entries), 7, FaultKind.REPLAYED);
  }

  @Test
  void catchesARepeatWithACoSignerAdded() throws Exception {
    List<ReferenceEntry> entries = entries();
    SignedRequest first = entries.get(2).request().orElseThrow();
    Submission again = FIXTURES.submission(first, Fixtures.ALICE, Fixtures.BOB);
    ReferenceLedger log = resealed(entries).append(again).seal();
    assertFault(log, 17, FaultKind.REPLAYED);
  }

  @Test
  void catchesARepeatWithAFlippedEs256Signature() throws Exception {
    Submission byBob = FIXTURES.submission(FIXTURES.request(22), Fixtures.BOB);
    assertFault(Logs.sample().append(flipped(byBob)).seal(), 17, FaultKind.REPLAYED);
  }

  @Test
  void catchesAJournalNobodySigned() {
    SeededSigner stranger = SeededSigner.ed25519("stranger");
    Submission forged = FIXTURES.submission(FIXTURES.request(30), stranger);
    assertFault(Logs.sample().append(forged).seal(), 17, FaultKind.UNKNOWN_SIGNER);
  }

  @Test
  void catchesAnotherRequestUnderAnOldSignature() {
    Bytes attestation = FIXTURES.single(1).attestation();
    Submission forged = new Submission(List.of(FIXTURES.request(30)), attestation);
    assertFault(Logs.sample().append(forged).seal(), 17, FaultKind.BAD_SIGNATURE);
  }

  @Test
  void catchesASignatureByAnotherKeyUnderAMembersName() {
    SignedRequest request = FIXTURES.request(30);
    Bytes byAlice = FIXTURES.submission(request, Fixtures.ALICE).attestation();
    byte[] broken = byAlice.toArray();
    broken[broken.length - 1] ^= 1;
    Submission forged = new Submission(List.of(request), Bytes.wrap(broken));
    assertFault(Logs.sample().append(forged).seal(), 17, FaultKind.BAD_SIGNATURE);
  }

  @Test
  void catchesAnAttestationThatIsNoAttestation() {
    Submission forged = new Submission(FIXTURES.requests(30, 1), Bytes.fromHex("8100"));
    assertFault(Logs.sample().append(forged).seal(), 17, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void catchesAnAttestationThatIsNotThere() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    for (int jsn : new int[] {0, 2, 3, 8, 10, 15}) {
      assertFault(
          log.with(jsn, entry -> withAttestation(entry, Bytes.EMPTY)),
          jsn,
          FaultKind.ATTESTATION_MISSING);
    }
  }

  @Test
  void catchesAnAttestationWhereNoneBelongs() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    Bytes attestation = log.entries().get(3).attestation();
    assertFault(
        log.with(5, entry -> withAttestation(entry, attestation)), 5, FaultKind.WRONG_BATCH);
    assertFault(
        log.with(7, entry -> withAttestation(entry, attestation)),
        7,
        FaultKind.ATTESTATION_MISMATCH);
  }

  @Test
  void catchesARequestThatIsSignedAsABatchOfOthers() {
    List<SignedRequest> requests = FIXTURES.requests(40, 2);
    Bytes attestation = FIXTURES.submission(requests, Fixtures.ALICE).attestation();
    Submission forged = new Submission(requests.subList(0, 1), attestation);
    assertFault(Logs.sample().append(forged).seal(), 17, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void catchesAJournalOfAnotherLedger() {
    Fixtures other = Fixtures.ledger(FIXTURES.timeMs() + 1);
    assertFault(Logs.sample().append(other.single(1)).seal(), 17, FaultKind.WRONG_LEDGER);
  }

  @Test
  void catchesAChangedBody() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    for (int jsn : new int[] {2, 3, 4, 6, 8, 10, 15}) {
      assertFault(log.with(jsn, TamperingTest::withFlippedBody), jsn, FaultKind.BODY_MISMATCH);
    }
  }

  @Test
  void catchesAChangedBodyWithItsCommitmentChangedToo() throws Exception {
    List<ReferenceEntry> entries = entries();
    entries.set(10, withHeaderOf(entries.get(10), FIXTURES.request(99)));
    assertFault(resealed(entries), 10, FaultKind.BAD_SIGNATURE);
    List<ReferenceEntry> batch = entries();
    batch.set(5, withHeaderOf(batch.get(5), FIXTURES.request(99)));
    assertFault(resealed(batch), 3, FaultKind.BAD_SIGNATURE);
  }

  @Test
  void catchesABodyThatIsGoneInAnyWay() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    for (int jsn : new int[] {2, 4, 8, 15}) {
      assertFault(
          log.with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.NONE)),
          jsn,
          FaultKind.BODY_MISSING);
      assertFault(
          log.with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.ERASED)),
          jsn,
          FaultKind.BODY_MISSING);
      assertFault(
          log.with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED)),
          jsn,
          FaultKind.BODY_DAMAGED);
    }
  }

  @Test
  void catchesABodyWithASeal() {
    MemoryLog log = MemoryLog.of(Logs.sample());
    LogEntry other = log.entries().get(2);
    assertFault(
        log.with(
            7,
            entry ->
                new LogEntry(
                    entry.leaf(), Bytes.EMPTY, BodyState.PRESENT, other.salt(), other.body())),
        7,
        FaultKind.BODY_UNEXPECTED);
  }

  @Test
  void catchesASaltThatHidesNothing() {
    SignedRequest bare = salted(30, Digest.ZERO.toBytes());
    assertFault(
        Logs.sample().append(FIXTURES.submission(bare, Fixtures.ALICE)).seal(),
        17,
        FaultKind.SALT_INVALID);
    Bytes salt = Fixtures.bytes32("one salt");
    List<SignedRequest> same = List.of(salted(31, salt), salted(32, salt));
    assertFault(
        Logs.sample().append(FIXTURES.submission(same, Fixtures.ALICE)).seal(),
        18,
        FaultKind.SALT_INVALID);
  }

  @Test
  void catchesASignatureByARevokedMember() {
    assertFault(Logs.sample().append(Logs.byCarol(31)).seal(), 17, FaultKind.REVOKED_SIGNER);
  }

  @Test
  void catchesAMemberWhoSignsBeforeBeingAdded() {
    ReferenceLedger log =
        ReferenceLedger.found(FIXTURES)
            .append(Logs.byCarol(1))
            .append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
            .seal();
    assertFault(log, 2, FaultKind.UNKNOWN_SIGNER);
  }

  @Test
  void catchesARoleThatMayNotAppend() {
    ReferenceLedger log =
        ReferenceLedger.found(FIXTURES)
            .append(FIXTURES.memberAdd(Role.READ_ONLY, Fixtures.CAROL.publicKey()))
            .append(Logs.byCarol(1))
            .seal();
    assertFault(log, 3, FaultKind.ROLE_NOT_ALLOWED);
  }

  @Test
  void catchesAChangeOfMembersWithoutAnOwner() {
    SeededSigner dave = SeededSigner.ed25519("dave");
    ReferenceLedger log =
        ReferenceLedger.found(FIXTURES)
            .append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
            .append(
                FIXTURES.govern(
                    Kind.MEMBER_ADD,
                    new Extension.MemberAdd(Role.OWNER, dave.publicKey()),
                    Fixtures.CAROL))
            .seal();
    assertFault(log, 3, FaultKind.ROLE_NOT_ALLOWED);
  }

  @Test
  void catchesAMemberWhoIsAddedAgain() {
    assertFault(
        Logs.sample().append(FIXTURES.memberAdd(Role.REGULATOR, Fixtures.CAROL.publicKey())).seal(),
        17,
        FaultKind.MEMBER_CHANGE_INVALID);
  }

  @Test
  void catchesAServiceKeyThatBecomesAMember() {
    assertFault(
        Logs.sample().append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.NOTE.publicKey())).seal(),
        17,
        FaultKind.MEMBER_CHANGE_INVALID);
  }

  @Test
  void catchesTheRevocationOfAStrangerAndOfTheLastOwner() {
    Digest stranger = SeededSigner.ed25519("stranger").publicKey().kid();
    assertFault(
        Logs.sample().append(FIXTURES.memberRevoke(stranger)).seal(),
        17,
        FaultKind.MEMBER_CHANGE_INVALID);
    ReferenceLedger log =
        Logs.sample()
            .append(FIXTURES.memberRevoke(Fixtures.BOB.publicKey().kid()))
            .append(FIXTURES.memberRevoke(Fixtures.ALICE.publicKey().kid()))
            .seal();
    assertFault(log, 18, FaultKind.LAST_OWNER);
  }

  private static List<ReferenceEntry> entries() {
    return new ArrayList<>(Logs.sample().entries());
  }

  @Test
  void catchesAResealedLogWithTheMarkOfADelegatedKey() throws Exception {
    List<ReferenceEntry> entries = entries();
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(entries.get(2).leaf());
    JournalLeaf marked =
        new JournalLeaf(
            leaf.jsn(),
            leaf.timeMs(),
            leaf.header(),
            leaf.attestHash(),
            leaf.batchIndex(),
            leaf.batchCount(),
            true);
    entries.set(2, entries.get(2).withLeaf(marked.encode()));
    assertFault(resealed(entries), 2, FaultKind.WRONG_FLAGS);
  }

  private static ReferenceLedger resealed(List<ReferenceEntry> entries) throws MalformedException {
    return ReferenceLedger.resealed(FIXTURES, entries);
  }

  private static ReferenceEntry renumbered(ReferenceEntry entry, int index, int count)
      throws MalformedException {
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(entry.leaf());
    return entry.withLeaf(
        new JournalLeaf(leaf.jsn(), leaf.timeMs(), leaf.header(), leaf.attestHash(), index, count)
            .encode());
  }

  private static ReferenceEntry withHeaderOf(ReferenceEntry entry, SignedRequest other)
      throws MalformedException {
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(entry.leaf());
    JournalLeaf changed =
        new JournalLeaf(
            leaf.jsn(),
            leaf.timeMs(),
            other.header(),
            leaf.attestHash(),
            leaf.batchIndex(),
            leaf.batchCount());
    return new ReferenceEntry(changed.encode(), entry.attestation(), Optional.of(other));
  }

  private static LogEntry withAttestation(LogEntry entry, Bytes attestation) {
    return new LogEntry(entry.leaf(), attestation, entry.bodyState(), entry.salt(), entry.body());
  }

  private static LogEntry withFlippedBody(LogEntry entry) {
    byte[] body = entry.body().toArray();
    body[2] ^= 1;
    return new LogEntry(
        entry.leaf(), entry.attestation(), entry.bodyState(), entry.salt(), Bytes.wrap(body));
  }

  public static SignedRequest salted(int number, Bytes salt) {
    return RequestDraft.append(
            FIXTURES.strand(), Bytes.utf8("salted " + number), "", FIXTURES.timeMs(), salt)
        .build();
  }

  private static Submission flipped(Submission byBob) {
    byte[] attestation = byBob.attestation().toArray();
    int at = attestation.length - 64;
    byte[] signature = Bytes.copyOf(attestation, at, 64).toArray();
    System.arraycopy(SeededSigner.flipped(signature), 0, attestation, at, 64);
    return new Submission(byBob.requests(), Bytes.wrap(attestation));
  }
}
