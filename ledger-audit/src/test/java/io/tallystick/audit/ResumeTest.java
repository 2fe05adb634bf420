package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.finding.StatementException.Reason;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.LogCopy;
import io.tallystick.audit.source.LogCopySource;
import io.tallystick.audit.source.LogSource;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.ReferenceEntry;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an audit that goes on from a statement finds what an uninterrupted one finds, and goes on
/// from nothing but its own. Method: audits that end at a damaged entry leave the statement of the
/// seal before it; the next is given the right log, or another.
class ResumeTest {
  private static final Signer AUDITOR =
      SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
  private static final List<Integer> SEALS = List.of(1, 7, 9, 12, 14, 16);

  @TempDir private Path folder;
  private AuditStatements statements;

  @BeforeEach
  void keepStatements() {
    statements = new AuditStatements(folder.resolve("state"), AUDITOR, Duration.ZERO);
  }

  @Test
  void findsTheSameFromEverySealAsWithoutInterruption() throws Exception {
    AuditReport want = Logs.audit(Logs.sample());
    for (int jsn = 2; jsn < Logs.SIZE; jsn++) {
      Files.deleteIfExists(file());
      interruptAt(jsn);
      int at = jsn;
      AuditReport report = audit(MemoryLog.of(Logs.sample()));
      assertThat(report.resumedFrom())
          .as("interrupted at %d", jsn)
          .isEqualTo(1L + SEALS.stream().filter(seal -> seal < at).toList().getLast());
      assertSame(report, want);
    }
  }

  @Test
  void goesOnInASavedCopyWithoutReadingItFromTheBeginning() throws Exception {
    Path copy = folder.resolve("log");
    LogCopy.save(MemoryLog.of(Logs.sample()), copy);
    LogCopy.save(damaged(13), folder.resolve("damaged"));
    audit(new LogCopySource(folder.resolve("damaged")));
    // What is not read cannot disturb: everything before the seal at 12 but the file's own header.
    byte[] bytes = Files.readAllBytes(copy);
    Arrays.fill(bytes, 56, 2_000, (byte) 0xff);
    Files.write(copy, bytes);
    AuditReport report = audit(new LogCopySource(copy));
    assertThat(report.resumedFrom()).isEqualTo(13);
    assertSame(report, Logs.audit(Logs.sample()));
  }

  @Test
  void findsItsPlaceInACopyWhoseEntriesHaveMoved() throws Exception {
    Path copy = folder.resolve("log");
    LogCopy.save(MemoryLog.of(Logs.sample()), copy);
    LogCopy.save(damaged(13), folder.resolve("damaged"));
    audit(new LogCopySource(folder.resolve("damaged")));
    LogCopy.save(
        MemoryLog.of(Logs.sample()).with(4, entry -> MemoryLog.bodiless(entry, BodyState.ERASED)),
        copy);
    AuditReport report = audit(new LogCopySource(copy));
    assertThat(report.resumedFrom()).isEqualTo(13);
    assertSame(report, Logs.audit(Logs.sample()));
  }

  @Test
  void goesOnWhereTheLogHasGrown() throws Exception {
    assertThat(audit(MemoryLog.of(Logs.sample())).firstFault()).isEmpty();
    AuditReport again = audit(MemoryLog.of(Logs.sample()));
    assertThat(again.resumedFrom()).isEqualTo(Logs.SIZE);
    assertThat(again.checkpointVerified()).as("the head is verified each time").isTrue();
    ReferenceLedger grown = Logs.sample().append(FIXTURES.batch(40, 5)).seal();
    AuditReport more = audit(MemoryLog.of(grown));
    assertThat(more.resumedFrom()).isEqualTo(Logs.SIZE);
    assertSame(more, Logs.audit(grown));
  }

  @Test
  void findsAFaultBehindTheResumption() throws Exception {
    interruptAt(10);
    AuditReport report = audit(damaged(15));
    assertThat(report.resumedFrom()).isEqualTo(10);
    assertThat(report.firstFault()).get().extracting(AuditFault::jsn).isEqualTo(15L);
  }

  @Test
  void keepsTheFaultsThatWereFoundBefore() throws Exception {
    AuditOptions all = Logs.OPTIONS.withAllFaults();
    MemoryLog damaged = damaged(4);
    assertThat(audit(damaged, all).faults()).extracting(AuditFault::jsn).containsExactly(4L);
    AuditReport again = audit(MemoryLog.of(Logs.sample()), all);
    assertThat(again.resumedFrom()).isEqualTo(Logs.SIZE);
    assertThat(again.faults()).extracting(AuditFault::jsn).containsExactly(4L);
    assertThat(AuditText.of(again)).contains("those were not read again");
  }

  @Test
  void findsASignatureUsedBeforeAndBehindTheResumption() throws Exception {
    Submission used = FIXTURES.single(500);
    ReferenceLedger ledger = ReferenceLedger.found(FIXTURES).append(used).seal();
    audit(MemoryLog.of(ledger));
    AuditReport report = audit(MemoryLog.of(ledger.append(used).seal()));
    assertThat(report.resumedFrom()).isEqualTo(4);
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(4L, FaultKind.REPLAYED);
  }

  @Test
  void findsThatHistoryBeforeTheResumptionWasRewritten() throws Exception {
    interruptAt(13);
    List<ReferenceEntry> entries = new ArrayList<>(Logs.sample().entries());
    entries.remove(2);
    ReferenceLedger rewritten = ReferenceLedger.resealed(FIXTURES, entries);
    assertThat(Logs.audit(rewritten).firstFault()).as("nothing else can tell").isEmpty();
    AuditReport report = audit(MemoryLog.of(rewritten));
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(12L, FaultKind.TRUSTED_HEAD_CONTRADICTED);
  }

  @Test
  void findsThatTheLogWasRolledBack() throws Exception {
    audit(MemoryLog.of(Logs.sample()));
    AuditReport report = audit(MemoryLog.of(ReferenceLedger.found(FIXTURES)));
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(1L, FaultKind.TRUSTED_HEAD_CONTRADICTED);
  }

  @Test
  void comparesATrustedHeadOnBothSidesOfTheResumption() throws Exception {
    ReferenceLedger ledger = Logs.sample();
    AuditOptions behind = Logs.OPTIONS.withTrustedHead(head(15, ledger.root(15)));
    AuditOptions before = Logs.OPTIONS.withTrustedHead(head(8, ledger.root(8)));
    interruptAt(13);
    assertThat(audit(MemoryLog.of(ledger), behind).firstFault()).isEmpty();
    assertThatThrownBy(() -> audit(MemoryLog.of(ledger), before))
        .isInstanceOfSatisfying(
            StatementException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.HEAD_NOT_COMPARED));
    assertThat(audit(MemoryLog.of(ledger), behind).firstFault()).as("compared then").isEmpty();
    AuditOptions other = Logs.OPTIONS.withTrustedHead(head(15, Digest.ZERO));
    assertThat(audit(MemoryLog.of(ledger), other).firstFault())
        .get()
        .extracting(AuditFault::jsn, AuditFault::kind)
        .containsExactly(14L, FaultKind.TRUSTED_HEAD_CONTRADICTED);
  }

  @Test
  void refusesAStatementWithAnyByteChanged() throws Exception {
    audit(MemoryLog.of(Logs.sample()));
    byte[] right = Files.readAllBytes(file());
    for (int at = 0; at < right.length; at++) {
      byte[] changed = right.clone();
      // Of the version's last byte it makes one that is not known yet.
      changed[at] ^= 8;
      Files.write(file(), changed);
      int position = at;
      assertThatThrownBy(() -> audit(MemoryLog.of(Logs.sample())))
          .as("byte %d", at)
          .isInstanceOfSatisfying(
              StatementException.class,
              e -> assertThat(e.reason()).isEqualTo(reason(position, right.length)));
    }
  }

  private static Reason reason(int at, int length) {
    if (at < 8) {
      return Reason.MALFORMED;
    }
    if (at < 12) {
      return Reason.NEWER_VERSION; // 5 with a bit changed
    }
    return at >= length - 96 && at < length - 64 ? Reason.WRONG_KEY : Reason.BAD_SIGNATURE;
  }

  @Test
  void refusesAStatementThatIsNotWhole() throws Exception {
    audit(MemoryLog.of(Logs.sample()));
    byte[] right = Files.readAllBytes(file());
    for (int length = 0; length < right.length; length += 7) {
      Files.write(file(), Arrays.copyOf(right, length));
      assertThatThrownBy(() -> audit(MemoryLog.of(Logs.sample())))
          .as("%d bytes", length)
          .isInstanceOf(StatementException.class);
    }
  }

  @Test
  void refusesAStatementByAnotherKey() throws Exception {
    audit(MemoryLog.of(Logs.sample()));
    Signer other = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    statements = new AuditStatements(statements.directory(), other, Duration.ZERO);
    assertRefused(Logs.OPTIONS, Reason.WRONG_KEY);
  }

  @Test
  void refusesAStatementOfAnotherLedger() throws Exception {
    audit(MemoryLog.of(Logs.sample()));
    StrandId other = new StrandId(new LedgerId(Digest.ZERO), 0);
    Files.copy(file(), statements.file(other));
    assertThatThrownBy(
            () -> Logs.AUDITOR.audit(other, MemoryLog.of(Logs.sample()), Logs.OPTIONS, statements))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_LEDGER));
  }

  @Test
  void refusesAStatementOfAnAuditThatCheckedLess() throws Exception {
    audit(MemoryLog.of(Logs.sample()), Logs.OPTIONS.withoutBodies());
    assertRefused(Logs.OPTIONS, Reason.OTHER_OPTIONS);
  }

  private void assertRefused(AuditOptions options, Reason reason) {
    assertThatThrownBy(() -> audit(MemoryLog.of(Logs.sample()), options))
        .isInstanceOfSatisfying(
            StatementException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  /// Leaves the statement of the last seal before `jsn`.
  private void interruptAt(int jsn) throws Exception {
    AuditReport report = audit(damaged(jsn));
    assertThat(report.firstFault()).get().extracting(AuditFault::jsn).isEqualTo((long) jsn);
  }

  private static MemoryLog damaged(int jsn) {
    return MemoryLog.of(Logs.sample())
        .with(jsn, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
  }

  private Path file() {
    return statements.file(FIXTURES.strand());
  }

  private AuditReport audit(LogSource log) throws Exception {
    return audit(log, Logs.OPTIONS);
  }

  private AuditReport audit(LogSource log, AuditOptions options) throws Exception {
    return Logs.AUDITOR.audit(FIXTURES.strand(), log, options, statements);
  }

  private static void assertSame(AuditReport report, AuditReport want) {
    assertThat(report)
        .usingRecursiveComparison()
        .ignoringFields("age", "elapsed", "resumedFrom")
        .isEqualTo(want);
    assertThat(report.firstFault()).isEmpty();
  }

  private static SignedHead head(long size, Digest root) {
    return new SignedHead(
        FIXTURES.strand(),
        new TreeSize(size),
        new JournalRoot(root),
        new HeadEvidence.CheckpointNote(Bytes.EMPTY));
  }
}
