package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.export.TileExportTest;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.cose.CoseSign1;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SeededSigner;
import io.tallystick.testkit.Submission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the service's keys change only as the pages say, and each head is judged by the keys that
/// are valid for its size. Method: a log with a rotation, and for each rule one that breaks it.
class RotationAuditTest {
  private static final SeededSigner LAST_NOTE = SeededSigner.ed25519("last note");
  private static final SeededSigner LAST_RECEIPT = SeededSigner.ed25519("last receipt");

  @TempDir private Path folder;

  private static ReferenceLedger founded() {
    return ReferenceLedger.found(FIXTURES);
  }

  /// The rotation is at 2, its seal at 3.
  private static ReferenceLedger rotated() {
    return founded().append(FIXTURES.rotation()).seal();
  }

  private static MemoryLog signed(ReferenceLedger log, Signer note, Signer receipt) {
    return MemoryLog.of(log)
        .withEnd(log.checkpoint(note, log.size(), log.root()), log.headReceipt(receipt));
  }

  private static MemoryLog signedByNext(ReferenceLedger log) {
    return signed(log, Fixtures.NEXT_NOTE, Fixtures.NEXT_RECEIPT);
  }

  private static Submission rotation(
      PublicKey note, PublicKey receipt, List<SeededSigner> service, Signer... members) {
    return FIXTURES.service(
        Kind.KEY_ROTATION, new Extension.KeyRotation(note, receipt), service, members);
  }

  private static void assertFault(ReferenceLedger log, long jsn, FaultKind kind) {
    Logs.assertFault(signedByNext(log.seal()), jsn, kind);
  }

  @Test
  void judgesTheHeadOfTheRotationsBlockByTheOldKeysAndLargerOnesByTheNew() {
    assertThat(Logs.audit(rotated()).firstFault()).isEmpty();
    Logs.assertFault(signedByNext(rotated()), 3, FaultKind.HEAD_INVALID);
    ReferenceLedger larger = rotated().append(FIXTURES.single(1)).seal();
    assertThat(Logs.audit(signedByNext(larger)).firstFault()).isEmpty();
    Logs.assertFault(larger, 5, FaultKind.HEAD_INVALID);
    Logs.assertFault(
        signed(larger, Fixtures.NEXT_NOTE, Fixtures.RECEIPT), 5, FaultKind.HEAD_INVALID);
    Logs.assertFault(
        signed(larger, Fixtures.NOTE, Fixtures.NEXT_RECEIPT), 5, FaultKind.HEAD_INVALID);
  }

  @Test
  void takesOneKeyAloneAndASecondRotation() {
    Submission noteAlone =
        rotation(
            Fixtures.NEXT_NOTE.publicKey(),
            Fixtures.RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT),
            Fixtures.BOB);
    Submission receiptAlone =
        rotation(
            Fixtures.NEXT_NOTE.publicKey(),
            LAST_RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT, LAST_RECEIPT),
            Fixtures.ALICE);
    ReferenceLedger log =
        founded().append(noteAlone).seal().append(receiptAlone).seal().append(FIXTURES.single(1));
    assertThat(Logs.audit(signed(log.seal(), Fixtures.NEXT_NOTE, LAST_RECEIPT)).firstFault())
        .isEmpty();
  }

  @Test
  void goesOnFromEverySealAsWithoutInterruption() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    AuditStatements statements = new AuditStatements(folder, auditor, Duration.ZERO);
    assertThat(audit(MemoryLog.of(rotated()), statements).firstFault()).isEmpty();
    ReferenceLedger larger = rotated().append(FIXTURES.single(1)).seal();
    AuditReport more = audit(signedByNext(larger), statements);
    assertThat(more.resumedFrom()).isEqualTo(4);
    assertThat(more.firstFault()).isEmpty();
    AuditReport old = audit(MemoryLog.of(larger), statements);
    assertThat(old.resumedFrom()).isEqualTo(6);
    assertThat(old.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.HEAD_INVALID);
  }

  private static AuditReport audit(MemoryLog log, AuditStatements statements) throws Exception {
    return Logs.AUDITOR.audit(FIXTURES.strand(), log, Logs.OPTIONS, statements);
  }

  @Test
  void catchesARotationThatIsNotAlone() {
    assertFault(
        founded().append(FIXTURES.single(1)).append(FIXTURES.rotation()),
        3,
        FaultKind.ROTATION_NOT_ALONE);
    assertFault(
        founded().append(FIXTURES.rotation()).append(FIXTURES.single(1)),
        3,
        FaultKind.ROTATION_NOT_ALONE);
    assertFault(
        founded().append(FIXTURES.rotation()).append(FIXTURES.batch(1, 2)),
        3,
        FaultKind.ROTATION_NOT_ALONE);
  }

  @Test
  void catchesARotationThatNotAllSigned() {
    PublicKey note = Fixtures.NEXT_NOTE.publicKey();
    PublicKey receipt = Fixtures.NEXT_RECEIPT.publicKey();
    List<Submission> wrong =
        List.of(
            rotation(note, receipt, List.of(Fixtures.RECEIPT), Fixtures.ALICE),
            rotation(note, receipt, List.of(Fixtures.NEXT_RECEIPT), Fixtures.ALICE),
            rotation(note, receipt, List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT)),
            FIXTURES.govern(
                Kind.KEY_ROTATION, new Extension.KeyRotation(note, receipt), Fixtures.ALICE));
    for (Submission submission : wrong) {
      assertFault(founded().append(submission), 2, FaultKind.ATTESTATION_INVALID);
    }
    ReferenceLedger carol =
        founded().append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey())).seal();
    Submission byCarol =
        rotation(note, receipt, List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT), Fixtures.CAROL);
    assertFault(carol.copy().append(byCarol), 4, FaultKind.ROLE_NOT_ALLOWED);
    assertFault(founded().append(byCarol), 2, FaultKind.UNKNOWN_SIGNER);
    ReferenceLedger revoked =
        founded().append(FIXTURES.memberRevoke(Fixtures.BOB.publicKey().kid())).seal();
    Submission byBob =
        rotation(note, receipt, List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT), Fixtures.BOB);
    assertFault(revoked.append(byBob), 4, FaultKind.REVOKED_SIGNER);
  }

  private static List<CoseSign1> signatures(Submission rotation) throws Exception {
    return Attestation.decode(rotation.attestation(), Kind.KEY_ROTATION).signatures();
  }

  private static CoseSign1 bent(CoseSign1 signature) {
    byte[] bytes = signature.signature().toArray();
    bytes[bytes.length / 2] ^= 1;
    return new CoseSign1(
        signature.protectedHeader(),
        signature.inclusionProof(),
        signature.payload(),
        Bytes.wrap(bytes));
  }

  private static List<CoseSign1> with(List<CoseSign1> signed, int index, List<CoseSign1> instead) {
    List<CoseSign1> tampered = new ArrayList<>(signed.subList(0, index));
    tampered.addAll(instead);
    tampered.addAll(signed.subList(index + 1, signed.size()));
    return tampered;
  }

  private static void catches(Submission right, List<CoseSign1> tampered, FaultKind kind) {
    Submission submission = new Submission(right.requests(), new Attestation(tampered).encode());
    assertFault(founded().append(submission), 2, kind);
  }

  /// Those of the present receipt key, of the new one and of the owner: each bent, left out, and
  /// taken from another rotation.
  @Test
  void catchesEachSignatureThatIsTamperedWith() throws Exception {
    Submission right = FIXTURES.rotation();
    List<CoseSign1> signed = signatures(right);
    List<CoseSign1> ofAnother =
        signatures(
            rotation(
                LAST_NOTE.publicKey(),
                Fixtures.NEXT_RECEIPT.publicKey(),
                List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT),
                Fixtures.ALICE));
    assertThat(signed).hasSize(3);
    for (int i = 0; i < signed.size(); i++) {
      catches(right, with(signed, i, List.of(bent(signed.get(i)))), FaultKind.BAD_SIGNATURE);
      catches(right, with(signed, i, List.of(ofAnother.get(i))), FaultKind.BAD_SIGNATURE);
      catches(right, with(signed, i, List.of()), FaultKind.ATTESTATION_INVALID);
    }
    Submission byOneMore =
        rotation(
            Fixtures.NEXT_NOTE.publicKey(),
            Fixtures.NEXT_RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT, LAST_RECEIPT),
            Fixtures.ALICE);
    assertFault(founded().append(byOneMore), 2, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void catchesARotationByTheKeysBefore() {
    Submission byTheOld =
        rotation(
            LAST_NOTE.publicKey(),
            LAST_RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT, LAST_RECEIPT),
            Fixtures.ALICE);
    assertFault(rotated().append(byTheOld), 4, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void catchesKeysThatWereTheServicesOrAMembers() {
    PublicKey old = Fixtures.NOTE.publicKey();
    Submission back =
        rotation(
            old,
            LAST_RECEIPT.publicKey(),
            List.of(Fixtures.NEXT_RECEIPT, LAST_RECEIPT),
            Fixtures.ALICE);
    assertFault(rotated().append(back), 4, FaultKind.SERVICE_KEYS_INVALID);
    Submission swapped =
        rotation(
            Fixtures.RECEIPT.publicKey(),
            Fixtures.NOTE.publicKey(),
            List.of(Fixtures.RECEIPT, Fixtures.NOTE),
            Fixtures.ALICE);
    assertFault(founded().append(swapped), 2, FaultKind.SERVICE_KEYS_INVALID);
    Submission members =
        rotation(
            Fixtures.CAROL.publicKey(),
            Fixtures.RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT),
            Fixtures.ALICE);
    ReferenceLedger log =
        founded()
            .append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
            .append(FIXTURES.memberRevoke(Fixtures.CAROL.publicKey().kid()))
            .seal();
    assertFault(log.append(members), 5, FaultKind.SERVICE_KEYS_INVALID);
  }

  @Test
  void catchesARotationThatChangesNothing() {
    Submission same =
        rotation(
            Fixtures.NOTE.publicKey(),
            Fixtures.RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT),
            Fixtures.ALICE);
    assertFault(founded().append(same), 2, FaultKind.SERVICE_KEYS_INVALID);
  }

  @Test
  void catchesAServiceKeyOfAnyTimeThatBecomesAMembers() {
    for (SeededSigner key : List.of(Fixtures.NOTE, Fixtures.RECEIPT, Fixtures.NEXT_NOTE)) {
      assertFault(
          rotated().append(FIXTURES.memberAdd(Role.NORMAL, key.publicKey())),
          4,
          FaultKind.MEMBER_CHANGE_INVALID);
    }
  }

  /// The receipt key in force at its jsn, not the one before.
  @Test
  void judgesTimeJournalsByThePresentKey() {
    ReferenceLedger log = rotated();
    Extension.Time time = TimeLogs.time(log, 2, Optional.empty(), Fixtures.TIME_MS + 20);
    ReferenceLedger right =
        log.copy().append(FIXTURES.service(Kind.TIME, time, List.of(Fixtures.NEXT_RECEIPT))).seal();
    assertThat(Logs.audit(signedByNext(right)).firstFault()).isEmpty();
    assertFault(log.append(TimeLogs.submission(time)), 4, FaultKind.ATTESTATION_INVALID);
  }

  @Test
  void exportsByTheKeysValidForTheSize() throws Exception {
    Path files = folder.resolve("tiles");
    assertThat(TileExportTest.export(MemoryLog.of(rotated()), files, true).size()).isEqualTo(4);
    ReferenceLedger larger = rotated().append(FIXTURES.single(1)).seal();
    assertThatThrownBy(() -> TileExportTest.export(MemoryLog.of(larger), files, true))
        .isInstanceOf(ProofRejectedException.class);
    assertThat(TileExportTest.export(signedByNext(larger), files, true).size()).isEqualTo(6);
    // The checkpoint that lies there now is one that the keys of genesis do not verify.
    ReferenceLedger largest = larger.copy().append(FIXTURES.single(2)).seal();
    assertThat(TileExportTest.export(signedByNext(largest), files, true).size()).isEqualTo(8);
    ReferenceLedger other = rotated().append(FIXTURES.single(3)).seal();
    ReferenceLedger fork = other.append(FIXTURES.single(4)).seal();
    assertThatThrownBy(() -> TileExportTest.export(signedByNext(fork), files, true))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("exported before was");
    assertThatThrownBy(() -> TileExportTest.export(MemoryLog.of(rotated()), files, true))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("exported before");
  }

  /// The old receipt key alone can make it, and would so choose who signs heads.
  @Test
  void exportsNoLogWithARotationThatNoOwnerSigned() {
    Submission byTheThief =
        rotation(
            Fixtures.NEXT_NOTE.publicKey(),
            Fixtures.NEXT_RECEIPT.publicKey(),
            List.of(Fixtures.RECEIPT, Fixtures.NEXT_RECEIPT),
            Fixtures.CAROL);
    ReferenceLedger log = founded().append(byTheThief).seal().append(FIXTURES.single(1)).seal();
    assertThatThrownBy(
            () -> TileExportTest.export(signedByNext(log), folder.resolve("tiles"), true))
        .isInstanceOf(LogFormatException.class)
        .hasMessageContaining("no member");
  }
}
