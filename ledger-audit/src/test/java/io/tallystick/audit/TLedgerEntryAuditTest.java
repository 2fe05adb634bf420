package io.tallystick.audit;

import static io.tallystick.audit.TLedgerLogs.MS;
import static io.tallystick.audit.TLedgerLogs.T_LEDGER;
import static io.tallystick.audit.TLedgerLogs.anchor;
import static io.tallystick.audit.TLedgerLogs.entry;
import static io.tallystick.audit.TLedgerLogs.heads;
import static io.tallystick.audit.TLedgerLogs.proof;
import static io.tallystick.audit.TLedgerLogs.request;
import static io.tallystick.audit.TLedgerLogs.submitter;
import static io.tallystick.audit.TLedgerLogs.tLedger;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.TLedgerLogs.Pair;
import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.options.TrustedTLedger;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditText;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.SignedRequest;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a time journal that shows a T-Ledger's entry is believed only for its own head and date,
/// and bounds what the T-Ledger's own tokens bound. Method: two logs whose windows are counted by
/// hand, and twins with one change.
class TLedgerEntryAuditTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final AuditOptions TOKENS = Logs.OPTIONS.withTime(TimeOptions.by(TimeLogs.TOKENS));

  @TempDir private Path folder;

  private static TrustedTLedger audited(ReferenceLedger held) throws Exception {
    return new Auditor(SIGNATURES)
        .tLedger(MemoryLog.of(held), submitter().strand().ledger(), TOKENS);
  }

  private static TrustedTLedger keysOf(Fixtures ledger) throws Exception {
    return TrustedTLedger.of(ledger.params().encode(), KeyChain.EMPTY, SIGNATURES);
  }

  private static AuditOptions by(TrustedTLedger tLedger) {
    return TOKENS.withTime(TimeOptions.by(TimeLogs.TOKENS).withTLedgers(List.of(tLedger)));
  }

  private static AuditReport audit(ReferenceLedger log, TrustedTLedger tLedger) {
    return Logs.audit(MemoryLog.of(log), by(tLedger));
  }

  private static void assertFault(
      ReferenceLedger log, TrustedTLedger tLedger, FaultKind kind, String rule) {
    AuditFault fault = audit(log, tLedger).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(4);
    assertThat(fault.detail()).startsWith(rule);
  }

  private static AnchoredTime.TLedger told(long size) {
    return new AnchoredTime.TLedger(T_LEDGER.strand().ledger().hex(), size);
  }

  @Test
  void theTokensAroundTheEntryBoundTheJournals() throws Exception {
    Pair pair = TLedgerLogs.pair();
    AuditReport report = audit(pair.submitter(), audited(pair.tLedger()));
    assertThat(report.firstFault()).isEmpty();
    // 2 existed by + 28; 4 and 6 lie within + 8 to + 48; 8 came after + 28 and is open.
    assertThat(report.time())
        .isEqualTo(
            new AnchoredTime(true, 2, 0, MS + 8, MS + 28, 2, 40, 40, 1, 1, 12, List.of(told(12))));
    assertThat(AuditText.of(report))
        .contains("audited up to size 12", "2 tokens of trusted authorities");
    assertThat(AuditPage.of(report)).contains(T_LEDGER.strand().ledger().hex());
  }

  @Test
  void keysAloneBoundNothing() throws Exception {
    Pair pair = TLedgerLogs.pair();
    AuditReport report = audit(pair.submitter(), keysOf(T_LEDGER));
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.time())
        .isEqualTo(new AnchoredTime(true, 2, 0, -1, -1, 0, -1, -1, 0, 4, -1, List.of(told(-1))));
    assertThat(AuditText.of(report)).contains("NOT ANCHORED", "known by its keys alone");
  }

  @Test
  void withoutATLedgerEntriesAreCounted() {
    AuditReport report = Logs.audit(MemoryLog.of(TLedgerLogs.pair().submitter()), TOKENS);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.time().unjudged()).isEqualTo(2);
  }

  /// The log was copied before the second entry, whose time nothing then bounds.
  @Test
  void anEntryBeyondTheLogIsNotBounded() throws Exception {
    Pair pair = TLedgerLogs.pair();
    ReferenceLedger first = ReferenceLedger.found(submitter()).append(submitter().single(1)).seal();
    AuditReport report = audit(pair.submitter(), audited(tLedger(first)));
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.time())
        .isEqualTo(
            new AnchoredTime(true, 2, 0, MS + 8, MS + 8, 0, -1, -1, 1, 3, 32, List.of(told(8))));
  }

  @Test
  void catchesAnEntryOfAnotherTLedger() throws Exception {
    Fixtures other = Fixtures.ledger(MS + 2);
    assertFault(
        TLedgerLogs.pair().submitter(),
        keysOf(other),
        FaultKind.TIME_ENTRY_REFUSED,
        "UNTRUSTED: it stands in ledger " + T_LEDGER.strand().ledger());
  }

  private static ReferenceLedger begun() {
    return ReferenceLedger.found(submitter()).append(submitter().single(1)).seal();
  }

  @Test
  void catchesAnEntryOfAnotherHead() throws Exception {
    ReferenceLedger log = begun();
    ReferenceLedger held = ReferenceLedger.found(T_LEDGER);
    SignedRequest genesis = request(entry(log, 2, 0));
    held.append(TLedgerLogs.submission(genesis)).seal();
    anchor(log, 4, Optional.empty(), proof(held, 2, genesis));
    assertFault(log, audited(held), FaultKind.TIME_ENTRY_REFUSED, "ROOT_MISMATCH");
  }

  @Test
  void catchesABentReceipt() throws Exception {
    ReferenceLedger log = begun();
    ReferenceLedger held = tLedger(log);
    TimeProof.TLedger good = proof(held, 4, request(entry(log, 4, 0)));
    byte[] bent = good.receiptFile().toArray();
    bent[bent.length - 1] ^= 1;
    TimeProof.TLedger bad =
        new TimeProof.TLedger(good.ledger(), Bytes.wrap(bent), good.salt(), good.body());
    anchor(log, 4, Optional.empty(), bad);
    assertFault(log, audited(held), FaultKind.TIME_ENTRY_REFUSED, "BAD_SIGNATURE");
  }

  /// The entry is of + 21.
  @Test
  void catchesAnEntryThatIsMoreThanTenSecondsAway() throws Exception {
    ReferenceLedger log = begun();
    ReferenceLedger held = tLedger(log);
    TimeProof.TLedger proof = proof(held, 4, request(entry(log, 4, 0)));
    ReferenceLedger late = log.copy().at(MS + 21 + 10_001);
    anchor(late, 4, Optional.empty(), proof);
    assertFault(late, audited(held), FaultKind.TIME_SKEWED, "the time of its entry");
    log.at(MS + 21 + 10_000);
    anchor(log, 4, Optional.empty(), proof);
    assertThat(audit(log, audited(held)).firstFault()).isEmpty();
  }

  /// Only who has the T-Ledger's whole log sees it.
  @Test
  void catchesATLedgerThatSignedTwoHistories() throws Exception {
    ReferenceLedger log = begun();
    SignedRequest other = request(entry(log, 4, 2));
    ReferenceLedger shown = ReferenceLedger.found(T_LEDGER);
    shown.append(TLedgerLogs.submission(request(entry(log, 2, 0)))).seal();
    shown.append(TLedgerLogs.submission(other)).seal();
    anchor(log, 4, Optional.empty(), proof(shown, 4, other));
    assertFault(log, audited(tLedger(log)), FaultKind.TIME_ENTRY_REFUSED, "LEAF_MISMATCH");
    assertThat(audit(log, keysOf(T_LEDGER)).firstFault()).isEmpty();
  }

  /// It was put back to before the entry at 8 and took other heads since: what the log itself
  /// shows, without a key of the T-Ledger.
  @Test
  void catchesATLedgerThatWasSetBack() throws Exception {
    ReferenceLedger log = begun();
    ReferenceLedger first = tLedger(log);
    first.append(TLedgerLogs.submission(request(entry(heads(7), 2, 0)))).seal();
    anchor(log, 4, Optional.empty(), proof(first, 4, request(entry(log, 4, 0))));
    log.append(submitter().single(2)).seal();
    SignedRequest second = request(entry(log, 8, 4));
    ReferenceLedger back = tLedger(log);
    back.append(TLedgerLogs.submission(second)).seal();
    ReferenceLedger forked = log.copy();
    anchor(forked, 8, TimeLogs.reference(log, 4), proof(back, 8, second));
    assertContradiction(forked, "FORK: of size 10");
    ReferenceLedger shorter = ReferenceLedger.found(T_LEDGER);
    shorter.append(TLedgerLogs.submission(second)).seal();
    ReferenceLedger rolledBack = log.copy();
    anchor(rolledBack, 8, TimeLogs.reference(log, 4), proof(shorter, 2, second));
    assertContradiction(rolledBack, "ROLLBACK: entry 2 under size 4");
  }

  private static void assertContradiction(ReferenceLedger log, String rule) {
    AuditFault fault = Logs.audit(MemoryLog.of(log), Logs.OPTIONS).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(FaultKind.TIME_ENTRY_REFUSED);
    assertThat(fault.jsn()).isEqualTo(8);
    assertThat(fault.detail()).startsWith(rule);
  }

  /// The entry stands there; the head over it was never the log's.
  @Test
  void catchesAReceiptUnderAHeadThatTheTLedgerNeverHad() throws Exception {
    ReferenceLedger log = begun();
    ReferenceLedger held = tLedger(log);
    ReferenceLedger shown = ReferenceLedger.found(T_LEDGER);
    TimeLogs.anchor(shown, 2, Optional.empty(), MS + 8).seal();
    shown.append(TLedgerLogs.submission(request(entry(log, 4, 0)))).seal();
    TimeLogs.anchor(shown, 6, TimeLogs.reference(shown, 2), MS + 29).seal();
    anchor(log, 4, Optional.empty(), proof(shown, 4, request(entry(log, 4, 0))));
    assertFault(log, audited(held), FaultKind.TIME_ENTRY_REFUSED, "FORK: the T-Ledger's log");
  }

  @Test
  void aTLedgerWithAFaultJudgesNothing() {
    ReferenceLedger held = TLedgerLogs.pair().tLedger();
    TimeLogs.anchor(held, 12, Optional.empty(), MS + 58).seal();
    assertThatThrownBy(() -> audited(held))
        .isInstanceOf(ProofRejectedException.class)
        .hasMessageContaining("TIME_CHAIN_BROKEN");
  }

  @Test
  void goesOnFromEverySealAsWithoutInterruption() throws Exception {
    Signer auditor = SIGNATURES.generate(SignatureAlgorithm.ED25519);
    AuditStatements statements = new AuditStatements(folder, auditor, Duration.ZERO);
    Pair pair = TLedgerLogs.pair();
    AuditOptions options = by(audited(pair.tLedger()));
    ReferenceLedger log = pair.submitter();
    AuditReport whole = Logs.audit(MemoryLog.of(log), options);
    for (int size = 4; size <= log.size(); size++) {
      MemoryLog all = MemoryLog.of(log);
      Logs.AUDITOR.audit(
          log.strand(), all.withEntries(all.entries().subList(0, size)), options, statements);
      AuditReport report = Logs.AUDITOR.audit(log.strand(), all, options, statements);
      assertThat(report.resumedFrom()).isPositive();
      assertThat(report.time()).isEqualTo(whole.time());
      Files.delete(statements.file(log.strand()));
    }
  }
}
