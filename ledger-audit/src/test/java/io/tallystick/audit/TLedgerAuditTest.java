package io.tallystick.audit;

import static io.tallystick.audit.TLedgerLogs.MS;
import static io.tallystick.audit.TLedgerLogs.T_LEDGER;
import static io.tallystick.audit.TLedgerLogs.entry;
import static io.tallystick.audit.TLedgerLogs.heads;
import static io.tallystick.audit.TLedgerLogs.request;
import static io.tallystick.audit.TLedgerLogs.submission;
import static io.tallystick.audit.TLedgerLogs.submitter;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.audit.options.Submitters;
import io.tallystick.audit.report.AuditPage;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.model.Bytes;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.tledger.HeadEntries;
import io.tallystick.tledger.HeadEntry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Goal: every head that a T-Ledger holds is the submitter's, of its time and a continuation; what
/// cannot be judged is counted. Method: a right log, and twins in which one entry breaks one rule.
class TLedgerAuditTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  private final ReferenceLedger log = heads(1);

  private static AuditReport audit(ReferenceLedger held, Submitters submitters) {
    try {
      return Logs.AUDITOR.audit(
          held.strand().ledger(),
          MemoryLog.of(held),
          Logs.OPTIONS.withSubmitters(submitters).withAllFaults());
    } catch (IOException | AuditLimitException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Submitters known() throws Exception {
    return Submitters.of(
        List.of(Submitters.Keys.of(submitter().params().encode(), KeyChain.EMPTY, SIGNATURES)));
  }

  /// The head of genesis at + 11 ms (2), then these, a block each 10 ms.
  private ReferenceLedger held(HeadEntry... more) {
    ReferenceLedger held = ReferenceLedger.found(T_LEDGER);
    held.append(submission(request(entry(log, 2, 0)))).seal();
    for (HeadEntry each : more) {
      held.append(submission(request(each))).seal();
    }
    return held;
  }

  private static void assertFault(ReferenceLedger held, long jsn, String rule) throws Exception {
    AuditReport report = audit(held, known());
    AuditFault fault = report.firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(FaultKind.HEAD_ENTRY_INVALID);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
    assertThat(fault.detail()).contains(rule);
  }

  @Test
  void everyHeadIsJudged() throws Exception {
    AuditReport report = audit(held(entry(log, 4, 2), entry(log, 8, 4)), known());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.heads()).contains(new HeldHeads(3, 0, 1, 0, 0, 11));
    assertThat(AuditSummary.of(report).heads()).isEqualTo(new HeldHeads(3, 0, 1, 0, 0, 11));
    assertThat(AuditText.of(report)).contains("3 heads of 1 ledger, each signed");
    assertThat(AuditPage.of(report)).contains("3 heads of 1 ledger, each signed");
  }

  @Test
  void headsOfUnknownLedgersAreCounted() {
    AuditReport report = audit(held(entry(log, 4, 2)), Submitters.NONE);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.heads()).contains(new HeldHeads(0, 2, 0, 1, 0, 0));
    assertThat(AuditText.of(report)).contains("2 of 1 other ledger NOT JUDGED");
  }

  @Test
  void whoAsksForNoHeadsGetsNone() throws Exception {
    ReferenceLedger held = held();
    AuditReport report =
        Logs.AUDITOR.audit(held.strand().ledger(), MemoryLog.of(held), Logs.OPTIONS);
    assertThat(report.heads()).isEmpty();
    assertThat(AuditSummary.of(report).heads()).isNull();
  }

  @Test
  void catchesAHeadThatTheSubmitterDidNotSign() throws Exception {
    assertFault(held(HeadEntries.of(log, 4, 2, Fixtures.NEXT_NOTE)), 4, "WRONG_KEY");
  }

  @Test
  void catchesAHeadUnderTheClueOfAnother() throws Exception {
    ReferenceLedger held = held();
    Bytes payload = entry(log, 4, 0).encode();
    String other = T_LEDGER.strand().ledger().hex();
    held.append(submission(request(payload, HeadEntry.CONTENT_TYPE, other))).seal();
    Submitters both =
        Submitters.of(
            List.of(Submitters.Keys.of(T_LEDGER.params().encode(), KeyChain.EMPTY, SIGNATURES)));
    assertThat(audit(held, both).firstFault().orElseThrow().detail()).startsWith("WRONG_ORIGIN");
    ReferenceLedger two = held();
    two.append(submission(request(payload, HeadEntry.CONTENT_TYPE, TLedgerLogs.clue(), "more")));
    assertFault(two.seal(), 4, "want the one ledger");
  }

  /// The entry's time bounds it from above, so it is no fault; the report says how late it was.
  @Test
  void aHeadThatWasEnteredLateIsCounted() throws Exception {
    ReferenceLedger held = held();
    held.at(MS + 10 + 1_000).append(submission(request(entry(log, 4, 2)))).seal();
    assertThat(audit(held, known()).heads()).contains(new HeldHeads(2, 0, 1, 0, 0, 1_000));
    ReferenceLedger late = held();
    late.at(MS + 10 + 30_000).append(submission(request(entry(log, 4, 2)))).seal();
    AuditReport report = audit(late, known());
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.heads()).contains(new HeldHeads(2, 0, 1, 0, 1, 30_000));
    assertThat(AuditText.of(report))
        .contains("1 sealed more than 1 s before its entry, at most 30000 ms");
  }

  @Test
  void catchesAHeadThatWasSealedAfterItsEntry() throws Exception {
    ReferenceLedger ahead =
        ReferenceLedger.found(submitter()).at(MS + 11 + 1_000).append(submitter().single(1)).seal();
    ReferenceLedger held = ReferenceLedger.found(T_LEDGER);
    held.append(submission(request(entry(ahead, 4, 0)))).seal();
    assertThat(audit(held, known()).firstFault()).isEmpty();
    ReferenceLedger more =
        ReferenceLedger.found(submitter()).at(MS + 11 + 1_001).append(submitter().single(1)).seal();
    ReferenceLedger wrong = ReferenceLedger.found(T_LEDGER);
    wrong.append(submission(request(entry(more, 4, 0)))).seal();
    assertFault(wrong, 2, "1001 ms after the leaf's time");
  }

  @Test
  void aHeadMayBeEnteredAgain() throws Exception {
    AuditReport report = audit(held(entry(log, 4, 2), entry(log, 4, 4)), known());
    assertThat(report.firstFault()).isEmpty();
    assertFault(held(entry(log, 4, 2), entry(heads(9), 4, 4)), 6, "ROOT_MISMATCH");
  }

  @Test
  void catchesAHeadThatDoesNotContinueTheLast() throws Exception {
    assertFault(held(entry(log, 4, 0)), 4, "MISSING");
    assertFault(held(entry(log, 8, 2), entry(log, 4, 2)), 6, "WRONG_SIZE");
    assertFault(held(entry(log, 4, 2), entry(log, 8, 2)), 6, "WRONG_SIZE");
    assertFault(held(entry(log, 4, 2), entry(heads(9), 8, 4)), 6, "ROOT_MISMATCH");
  }

  @Test
  void catchesAHeadWithTheSealOfAnother() throws Exception {
    HeadEntry right = entry(log, 4, 2);
    HeadEntry early =
        new HeadEntry(right.note(), entry(log, 2, 0).sealLeaf(), right.sealPath(), right.growth());
    assertFault(held(early), 4, "ROOT_MISMATCH");
    HeadEntry cut = new HeadEntry(right.note(), right.sealLeaf(), List.of(), Optional.empty());
    assertFault(held(cut), 4, "WRONG_PATH_LENGTH");
  }

  @Test
  void catchesWhatIsNoEntry() throws Exception {
    ReferenceLedger bytes = held();
    bytes.append(submission(request(Bytes.utf8("x"), HeadEntry.CONTENT_TYPE, TLedgerLogs.clue())));
    assertFault(bytes.seal(), 4, "");
    ReferenceLedger text = held();
    text.append(submission(request(Bytes.utf8("x"), "text/plain", TLedgerLogs.clue())));
    assertFault(text.seal(), 4, "is no head of one");
    ReferenceLedger notes = held();
    notes.append(submission(request(Bytes.utf8("x"), "text/plain", "notes"))).seal();
    assertThat(audit(notes, known()).firstFault()).isEmpty();
  }

  @Test
  void anotherLedgerIsNoTLedger() {
    AuditFault fault = audit(Logs.sample(), Submitters.NONE).firstFault().orElseThrow();
    assertThat(fault.kind()).isEqualTo(FaultKind.GENESIS_INVALID);
    assertThat(fault.detail()).contains("features 1 and 5");
  }
}
