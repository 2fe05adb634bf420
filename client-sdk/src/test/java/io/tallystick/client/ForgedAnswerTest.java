package io.tallystick.client;

import static io.tallystick.client.ServiceFixture.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.Receipted;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.client.failure.VerificationException.Contradiction;
import io.tallystick.client.trust.TrustedLog;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.RangeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.TreeSize;
import io.tallystick.receipt.HeadSignature;
import io.tallystick.receipt.RangeReceipt;
import io.tallystick.testkit.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each false answer to an append or a read, and that the client raises the alarm. After every
/// refused receipt the trusted head is the one from before.
class ForgedAnswerTest {
  @TempDir Path trust;
  private ServiceFixture fixture;
  private LedgerHandle ledger;

  @BeforeEach
  void found() throws TallyException {
    fixture = new ServiceFixture(trust);
    ledger = fixture.ledger;
    ledger.append(JournalDraft.text("honest"));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Reason reasonFor(UnaryOperator<Receipted> tampering) {
    SignedHead before = ledger.trustedHead().orElseThrow();
    fixture.service.tampering = tampering;
    VerificationException refusal = refusal(() -> ledger.append(JournalDraft.text("victim")));
    fixture.service.tampering = UnaryOperator.identity();
    assertThat(refusal).isNotNull();
    assertThat(ledger.trustedHead()).contains(before);
    return refusal.reason();
  }

  private Reason lieInReceipt(UnaryOperator<RangeReceipt> tampering) {
    return reasonFor(answer -> {
      RangeReceipt changed = tampering.apply(decode(answer.getRangeReceipt()));
      return answer.toBuilder()
          .setRangeReceipt(ByteString.copyFrom(changed.encode().toArray()))
          .build();
    });
  }

  private static RangeReceipt decode(ByteString encoded) {
    try {
      return RangeReceipt.decode(Bytes.wrap(encoded.toByteArray()));
    } catch (io.tallystick.model.MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesAnotherJsn() {
    assertThat(reasonFor(answer -> answer.toBuilder().setFirstJsn(2).build()))
        .isEqualTo(Reason.WRONG_JSN);
    assertThat(reasonFor(answer -> answer.toBuilder().setFirstJsn(-1).build()))
        .isEqualTo(Reason.INDEX_OUT_OF_RANGE);
  }

  @Test
  void refusesAnotherCount() {
    assertThat(reasonFor(answer -> answer.toBuilder().setCount(2).build()))
        .isEqualTo(Reason.WRONG_SIZE);
  }

  @Test
  void refusesATimeOtherThanTheLeafs() {
    assertThat(reasonFor(answer -> answer.toBuilder().setTimeMs(answer.getTimeMs() + 1).build()))
        .isIn(Reason.ROOT_MISMATCH, Reason.BAD_SIGNATURE);
  }

  @Test
  void refusesACommitDatedOutsideTheRequestsWindow() {
    fixture.service.clockOffsetMs = -31_000;
    assertThat(reasonFor(UnaryOperator.identity())).isEqualTo(Reason.LEAF_MISMATCH);
    fixture.service.clockOffsetMs = 61_000;
    assertThat(reasonFor(UnaryOperator.identity())).isEqualTo(Reason.LEAF_MISMATCH);
  }

  @Test
  void refusesAMissingOrMalformedReceipt() {
    assertThat(reasonFor(answer -> answer.toBuilder().clearRangeReceipt().build()))
        .isEqualTo(Reason.MALFORMED);
  }

  /// Jsn and time are right, the proof is a true one, but of the journal before.
  @Test
  void refusesTheReceiptOfAnotherLeaf() {
    FakeLedger remote = fixture.remote();
    FakeLedger.Committed earlier = remote.seen.values().iterator().next();
    assertThat(
            reasonFor(answer ->
                answer.toBuilder()
                    .setFirstJsn(earlier.firstJsn())
                    .setRangeReceipt(
                        ByteString.copyFrom(remote.rangeReceipt(earlier).encode().toArray()))
                    .build()))
        .isEqualTo(Reason.BAD_SIGNATURE);
  }

  @Test
  void refusesEachForgedFieldOfTheReceipt() {
    assertThat(
            lieInReceipt(receipt -> {
              RangeProof proof = receipt.proof();
              List<Digest> roots = new ArrayList<>(proof.roots());
              roots.set(0, Digest.ZERO);
              return new RangeReceipt(
                  receipt.head(),
                  new RangeProof(proof.first(), proof.count(), proof.treeSize(), roots));
            }))
        .isEqualTo(Reason.BAD_SIGNATURE);
    assertThat(
            lieInReceipt(receipt -> {
              RangeProof proof = receipt.proof();
              return new RangeReceipt(
                  receipt.head(),
                  new RangeProof(
                      proof.first(), proof.count(), proof.treeSize() + 1, proof.roots()));
            }))
        .isEqualTo(Reason.WRONG_SIZE);
    assertThat(
            lieInReceipt(receipt ->
                new RangeReceipt(
                    new HeadSignature(
                        receipt.head().protectedHeader(), flipped(receipt.head().signature())),
                    receipt.proof())))
        .isEqualTo(Reason.BAD_SIGNATURE);
  }

  private static Bytes flipped(Bytes bytes) {
    byte[] changed = bytes.toArray();
    changed[7] ^= 1;
    return Bytes.wrap(changed);
  }

  @Test
  void refusesAReceiptByAKeyThatGenesisDoesNotName() {
    FakeLedger remote = fixture.remote();
    assertThat(
            lieInReceipt(receipt -> {
              int size = (int) receipt.proof().treeSize();
              HeadSignature forged =
                  HeadSignature.sign(
                      Fixtures.CAROL,
                      remote.params.authority(),
                      remote.strand(),
                      new TreeSize(size),
                      remote.root(size));
              return new RangeReceipt(forged, receipt.proof());
            }))
        .isEqualTo(Reason.WRONG_KEY);
  }

  /// Two services with one ledger's id and keys, whose logs part after the common part.
  @Test
  void refusesAForkWithBothStatementsAsEvidence() throws TallyException, IOException {
    try (FakeService twin = new FakeService();
        TallyClient client = ServiceFixture.connect(twin, trust)) {
      twin.copyFrom(fixture.service);
      ledger.append(JournalDraft.text("shown here"));
      LedgerHandle same = client.open(ledger.id(), fixture.owner);

      VerificationException alarm = refusal(() -> same.append(JournalDraft.text("shown there")));

      assertThat(alarm.reason()).isEqualTo(Reason.FORK);
      Contradiction contradiction = alarm.contradiction().orElseThrow();
      assertThat(contradiction.trusted().size()).isEqualTo(contradiction.offered().size());
      assertThat(contradiction.trusted().root()).isNotEqualTo(contradiction.offered().root());
      String file = Files.readString(contradiction.evidenceFile().orElseThrow());
      assertThat(file)
          .contains(contradiction.trusted().evidence().encoded().hex())
          .contains(contradiction.offered().evidence().encoded().hex())
          .contains(ledger.trust().genesisBytes().hex());
    }
  }

  /// What another process stored is joined before anything takes its place: at the first attempt,
  /// and at each later one.
  @Test
  void aForkNeverTakesThePlaceOfTheStoredHead() throws Exception {
    try (FakeService twin = new FakeService();
        TallyClient client = ServiceFixture.connect(twin, trust)) {
      twin.copyFrom(fixture.service);
      LedgerHandle same = client.open(ledger.id(), fixture.owner);
      ledger.append(JournalDraft.text("shown here"));
      SignedHead stored = storedHead();

      for (int i = 0; i < 3; i++) {
        VerificationException alarm = refusal(() -> same.append(JournalDraft.text("shown there")));
        assertThat(alarm.reason()).isEqualTo(Reason.FORK);
        assertThat(storedHead().root()).isEqualTo(stored.root());
      }
    }
  }

  private SignedHead storedHead() throws TallyException {
    return TrustedLog.saved(trust, ledger.id(), SignatureProviders.best()).orElseThrow();
  }

  /// The forked log is longer than the trusted one: its own consistency proof convicts it.
  @Test
  void refusesALongerFork() throws TallyException {
    try (FakeService twin = new FakeService();
        TallyClient client = ServiceFixture.connect(twin, trust);
        TallyClient filler = ServiceFixture.connect(twin, trust.resolve("filler"))) {
      twin.copyFrom(fixture.service);
      ledger.append(JournalDraft.text("shown here"));
      LedgerHandle same = client.open(ledger.id(), fixture.owner);
      filler.open(ledger.id(), fixture.owner).append(JournalDraft.text("another"));

      VerificationException alarm = refusal(() -> same.append(JournalDraft.text("one more")));

      assertThat(alarm.reason()).isEqualTo(Reason.FORK);
      assertThat(alarm.contradiction().orElseThrow().evidenceFile()).isPresent();
    }
  }

  /// The service has forgotten what it signed, and appends under a head that is smaller.
  @Test
  void refusesAnAppendToALogThatIsShorterThanWhatWasSigned() throws TallyException {
    try (FakeService twin = new FakeService();
        TallyClient client = ServiceFixture.connect(twin, trust)) {
      twin.copyFrom(fixture.service);
      for (int i = 0; i < 2; i++) {
        ledger.append(JournalDraft.text("to be forgotten " + i));
      }
      SignedHead signed = ledger.trustedHead().orElseThrow();
      LedgerHandle same = client.open(ledger.id(), fixture.owner);

      VerificationException alarm = refusal(() -> same.append(JournalDraft.text("one more")));

      assertThat(alarm.reason()).isEqualTo(Reason.ROLLBACK);
      Contradiction heads = alarm.contradiction().orElseThrow();
      assertThat(heads.evidenceFile()).isPresent();
      assertThat(heads.trusted()).isEqualTo(signed);
      assertThat(heads.offered().size()).isLessThan(signed.size());
      assertThat(same.trustedHead()).contains(signed);
    }
  }

  /// It shows no head after that, which would be better evidence.
  @Test
  void refusesAPageThatEndsBeforeAHeadThatWasSigned() throws TallyException {
    try (FakeService older = new FakeService();
        TallyClient client = ServiceFixture.connect(older, trust)) {
      older.copyFrom(fixture.service);
      ledger.append(JournalDraft.text("to be forgotten"));
      LedgerHandle same = client.open(ledger.id());
      older.entryTampering =
          entry -> {
            older.failures.add(Status.INTERNAL);
            return entry;
          };

      assertThat(refusal(() -> same.list(new Jsn(0), 10)).reason()).isEqualTo(Reason.MISSING);

      assertThat(same.alarm().orElseThrow().reason()).isEqualTo(Reason.MISSING);
    }
  }

  @Test
  void refusesARollbackAlsoAfterARestart() throws TallyException {
    ledger.append(JournalDraft.text("to be forgotten"));
    fixture.service.shownSize = 4;

    assertThat(refusal(ledger::checkpoint).reason()).isEqualTo(Reason.ROLLBACK);
    try (TallyClient restarted = ServiceFixture.connect(fixture.service, trust)) {
      LedgerHandle again = restarted.open(ledger.id());
      VerificationException alarm = refusal(again::checkpoint);
      assertThat(alarm.reason()).isEqualTo(Reason.ROLLBACK);
      assertThat(alarm.contradiction().orElseThrow().trusted().size().value()).isEqualTo(6);
    }
  }

  @Test
  void refusesAFalseConsistencyProof() throws TallyException {
    try (TallyClient other = ServiceFixture.connect(fixture.service, trust.resolve("other"))) {
      other.open(ledger.id(), fixture.owner).append(JournalDraft.text("theirs"));
    }
    fixture.service.consistencyTampering =
        proof -> proof.toBuilder().setPath(0, ByteString.copyFrom(new byte[32])).build();

    VerificationException alarm = refusal(() -> ledger.append(JournalDraft.text("ours")));

    assertThat(alarm.reason()).isEqualTo(Reason.ROOT_MISMATCH);
    assertThat(alarm.contradiction()).isPresent();
  }

  @Test
  void refusesATamperedBodySaltLeafOrAttestation() throws TallyException {
    assertThat(readLie(entry -> entry.setBody(changed(entry.getBody()))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(readLie(entry -> entry.setSalt(changed(entry.getSalt()))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(readLie(entry -> entry.setLeaf(changed(entry.getLeaf()))))
        .isIn(Reason.ROOT_MISMATCH, Reason.MALFORMED);
    assertThat(readLie(entry -> entry.setAttestation(changed(entry.getAttestation()))))
        .isEqualTo(Reason.COMMITMENT_MISMATCH);
    assertThat(ledger.get(new Jsn(2)).body()).isPresent();
  }

  private Reason readLie(UnaryOperator<JournalEntry.Builder> tampering) {
    fixture.service.entryTampering = entry -> tampering.apply(entry.toBuilder()).build();
    VerificationException alarm = refusal(() -> ledger.get(new Jsn(2)));
    fixture.service.entryTampering = UnaryOperator.identity();
    return alarm.reason();
  }

  private static ByteString changed(ByteString bytes) {
    byte[] changed = bytes.toByteArray();
    changed[changed.length - 1] ^= 1;
    return ByteString.copyFrom(changed);
  }
}
