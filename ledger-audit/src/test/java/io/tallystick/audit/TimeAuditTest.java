package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.TimeOptions;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.statement.TimeHeads;
import io.tallystick.audit.statement.WindowSizes;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a time journal is believed only for a head the log had, by a token of that head and of its
/// own time; the windows are what the tokens prove. Method: a log with three of them, changed in
/// one way, and one whose windows are counted by hand.
class TimeAuditTest {
  private static final long MS = Fixtures.TIME_MS;
  private static final AuditOptions OPTIONS =
      Logs.OPTIONS.withTime(TimeOptions.by(TimeLogs.TOKENS));

  @TempDir private Path folder;

  /// At + 10 ms time about genesis (2); at + 20 ms Alice (4) and a batch (5 to 7); at + 30 ms Alice
  /// (9); at + 40 ms time about 9 leaves (11) and Alice (12).
  private static ReferenceLedger sample() {
    ReferenceLedger log = ReferenceLedger.found(FIXTURES);
    TimeLogs.anchor(log, 2, Optional.empty(), MS + 5).seal();
    log.append(FIXTURES.single(1)).append(FIXTURES.batch(10, 3)).seal();
    log.append(FIXTURES.single(2)).seal();
    return TimeLogs.anchor(log, 9, TimeLogs.reference(log, 2), MS + 35)
        .append(FIXTURES.single(3))
        .seal();
  }

  private static ReferenceLedger anchored(ReferenceLedger log) {
    return TimeLogs.anchor(log, 14, TimeLogs.reference(log, 11), MS + 45);
  }

  private static AuditReport audit(ReferenceLedger log, AuditOptions options) {
    return Logs.audit(MemoryLog.of(log), options);
  }

  private static void assertFault(
      ReferenceLedger log, long jsn, FaultKind kind, AuditOptions options) {
    AuditFault fault = audit(log, options).firstFault().orElseThrow();
    assertThat(fault.kind()).as(fault.toString()).isEqualTo(kind);
    assertThat(fault.jsn()).as(fault.toString()).isEqualTo(jsn);
  }

  private static void assertFault(ReferenceLedger log, long jsn, FaultKind kind) {
    assertFault(log.seal(), jsn, kind, OPTIONS);
  }

  @Test
  void countsTheWindowsOfTheJournals() {
    // Journals 2, 4 to 7 within 30 ms of + 5 to + 35; 9 and 11 onwards are open.
    assertThat(audit(sample(), OPTIONS).time())
        .isEqualTo(new AnchoredTime(true, 2, 0, MS + 5, MS + 35, 5, 30, 30, 0, 3, 35, List.of()));
    // The third token closes 9 (+ 5 to + 45), 11 and 12 (+ 35 to + 45); itself it stays open.
    AuditReport report = audit(anchored(sample()).seal(), OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.time())
        .isEqualTo(new AnchoredTime(true, 3, 0, MS + 5, MS + 45, 8, 40, 30, 0, 1, 5, List.of()));
    assertThat(AuditText.of(report))
        .contains("8 journals within 40 ms of a time, the median 30 ms");
    assertThat(AuditSummary.of(report).time()).isEqualTo(report.time());
  }

  @Test
  void saysWhatIsNotAnchored() {
    AuditReport report = Logs.audit(Logs.sample());
    assertThat(AuditText.of(report)).contains("NOT ANCHORED");
    assertThat(report.time().anchored()).isFalse();
    ReferenceLedger late = ReferenceLedger.found(FIXTURES).append(FIXTURES.single(1)).seal();
    TimeLogs.anchor(late, 4, Optional.empty(), MS + 5).seal();
    assertThat(audit(late, OPTIONS).time())
        .isEqualTo(new AnchoredTime(true, 1, 0, MS + 5, MS + 5, 0, -1, -1, 1, 1, 15, List.of()));
  }

  @Test
  void judgesNoTokenWithoutAuthorities() {
    ReferenceLedger log = sample();
    Extension.Time bad =
        new Extension.Time(
            new TreeSize(14),
            new JournalRoot(log.root(14)),
            TimeLogs.reference(log, 11),
            new TimeProof.Token(Bytes.fromHex("30")));
    log.append(TimeLogs.submission(bad)).seal();
    AuditReport report = audit(log, Logs.OPTIONS);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.time())
        .isEqualTo(new AnchoredTime(false, 0, 3, -1, -1, 0, -1, -1, 0, 9, -1, List.of()));
    assertThat(AuditText.of(report)).contains("3 time journals NOT JUDGED");
  }

  @Test
  void anEntryThatIsNoReceiptIsAFaultThoughNoTLedgerIsGiven() {
    ReferenceLedger log = sample();
    TimeProof entry =
        new TimeProof.TLedger(
            new LedgerId(Digest.ZERO),
            Bytes.fromHex("00"),
            Digest.ZERO.toBytes(),
            Bytes.fromHex("00"));
    Extension.Time time =
        new Extension.Time(
            new TreeSize(14), new JournalRoot(log.root(14)), TimeLogs.reference(log, 11), entry);
    AuditReport report = audit(log.append(TimeLogs.submission(time)).seal(), OPTIONS);
    assertThat(report.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.TIME_ENTRY_REFUSED);
  }

  @Test
  void catchesATimeJournalThatDoesNotNameTheOneBefore() {
    ReferenceLedger log = sample();
    assertFault(
        TimeLogs.anchor(log.copy(), 14, Optional.empty(), MS + 45),
        14,
        FaultKind.TIME_CHAIN_BROKEN);
    assertFault(
        TimeLogs.anchor(log.copy(), 14, TimeLogs.reference(log, 2), MS + 45),
        14,
        FaultKind.TIME_CHAIN_BROKEN);
    assertFault(
        TimeLogs.anchor(log.copy(), 14, TimeLogs.reference(log, 12), MS + 45),
        14,
        FaultKind.TIME_CHAIN_BROKEN);
  }

  /// Within a block, at a journal; of the block's own head; of another root.
  @Test
  void catchesAHeadTheLogNeverHad() {
    ReferenceLedger log = sample();
    assertFault(
        TimeLogs.anchor(log.copy(), 13, TimeLogs.reference(log, 11), MS + 45),
        14,
        FaultKind.TIME_HEAD_WRONG);
    ReferenceLedger within = log.copy().append(FIXTURES.single(4));
    assertFault(
        TimeLogs.anchor(within, 15, TimeLogs.reference(log, 11), MS + 45),
        15,
        FaultKind.TIME_HEAD_WRONG);
    Extension.Time right = TimeLogs.time(log, 14, TimeLogs.reference(log, 11), MS + 45);
    Extension.Time other =
        new Extension.Time(
            right.size(), new JournalRoot(log.root(13)), right.previous(), right.proof());
    assertFault(log.copy().append(TimeLogs.submission(other)), 14, FaultKind.TIME_HEAD_WRONG);
  }

  @Test
  void catchesATokenOfAnotherHead() {
    ReferenceLedger log = sample();
    Extension.Time right = TimeLogs.time(log, 14, TimeLogs.reference(log, 11), MS + 45);
    Extension.Time moved =
        new Extension.Time(
            right.size(),
            right.root(),
            right.previous(),
            new TimeProof.Token(TimeLogs.token(MS + 45, TimeLogs.imprint(log, 11))));
    assertFault(log.append(TimeLogs.submission(moved)), 14, FaultKind.TIME_TOKEN_REFUSED);
  }

  /// The leaf is of + 50 ms.
  @Test
  void catchesATokenThatIsMoreThanTenSecondsAway() {
    for (long apart : new long[] {10_001, -10_001}) {
      ReferenceLedger log = sample();
      assertFault(
          TimeLogs.anchor(log, 14, TimeLogs.reference(log, 11), MS + 50 + apart),
          14,
          FaultKind.TIME_SKEWED);
    }
    ReferenceLedger log = sample();
    TimeLogs.anchor(log, 14, TimeLogs.reference(log, 11), MS + 50 + 10_000).seal();
    assertThat(audit(log, OPTIONS).firstFault()).isEmpty();
  }

  @Test
  void catchesATimeJournalThatTheReceiptKeyDidNotSign() {
    ReferenceLedger log = sample();
    Extension.Time time = TimeLogs.time(log, 14, TimeLogs.reference(log, 11), MS + 45);
    for (Submission wrong :
        List.of(
            FIXTURES.govern(Kind.TIME, time, Fixtures.ALICE),
            FIXTURES.govern(Kind.TIME, time, Fixtures.RECEIPT),
            FIXTURES.service(Kind.TIME, time, List.of(Fixtures.NOTE)),
            FIXTURES.service(Kind.TIME, time, List.of(Fixtures.RECEIPT), Fixtures.ALICE))) {
      AuditFault fault = audit(sample().append(wrong).seal(), OPTIONS).firstFault().orElseThrow();
      assertThat(fault.jsn()).isEqualTo(14);
      assertThat(fault.kind()).isIn(FaultKind.ATTESTATION_INVALID, FaultKind.UNKNOWN_SIGNER);
    }
  }

  @Test
  void goesOnBehindAFaultOfATimeJournal() {
    ReferenceLedger log = sample();
    TimeLogs.anchor(log, 14, TimeLogs.reference(log, 11), MS + 50 + 10_001).seal();
    TimeLogs.anchor(log, 16, TimeLogs.reference(log, 14), MS + 55).seal();
    AuditReport report = audit(log, OPTIONS.withAllFaults());
    assertThat(report.faults()).extracting(AuditFault::jsn).containsExactly(14L);
    assertThat(report.time().judged()).isEqualTo(3);
  }

  @Test
  void holdsWindowsToWhatIsAskedFor() {
    ReferenceLedger log = anchored(sample()).seal();
    AuditOptions all = OPTIONS.withAllFaults();
    assertThat(audit(log, within(all, 40)).firstFault()).isEmpty();
    assertFault(log, 9, FaultKind.TIME_WINDOW_TOO_WIDE, within(all, 39));
    assertFault(log, 2, FaultKind.TIME_WINDOW_TOO_WIDE, within(all, 29));
    ReferenceLedger tail = log.copy().at(MS + 45 + 41).append(FIXTURES.single(5)).seal();
    assertFault(tail, 14, FaultKind.TIME_WINDOW_TOO_WIDE, within(all, 40));
    assertThat(audit(tail, within(all, 41)).firstFault()).isEmpty();
    assertFault(Logs.sample(), 2, FaultKind.TIME_WINDOW_TOO_WIDE, within(all, 1_000_000));
  }

  private static AuditOptions within(AuditOptions options, long windowMs) {
    return options.withTime(TimeOptions.by(TimeLogs.TOKENS).withMaxWindow(windowMs));
  }

  @Test
  void goesOnFromEverySealAsWithoutInterruption() throws Exception {
    Signer auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    AuditStatements statements = new AuditStatements(folder, auditor, Duration.ZERO);
    ReferenceLedger log = anchored(sample()).seal();
    for (int size = 4; size <= log.size(); size++) {
      MemoryLog whole = MemoryLog.of(log);
      Logs.AUDITOR.audit(
          log.strand(), whole.withEntries(whole.entries().subList(0, size)), OPTIONS, statements);
      AuditReport report = Logs.AUDITOR.audit(log.strand(), whole, OPTIONS, statements);
      assertThat(report.resumedFrom()).isPositive();
      assertThat(report.firstFault()).isEmpty();
      assertThat(report.time())
          .isEqualTo(new AnchoredTime(true, 3, 0, MS + 5, MS + 45, 8, 40, 30, 0, 1, 5, List.of()));
      Files.delete(statements.file(log.strand()));
    }
  }

  @Test
  void knowsTheNewestHeadsAndTheFirst() throws Exception {
    TimeHeads heads = new TimeHeads(2);
    for (int size = 2; size <= 10; size += 2) {
      heads.add(new TimeHeads.Head(size, Digest.ZERO, 0));
    }
    assertThat(heads.find(2)).isPresent();
    assertThat(heads.find(8)).isPresent();
    assertThat(heads.find(9)).isEmpty();
    assertThatThrownBy(() -> heads.find(6)).isInstanceOf(AuditLimitException.class);
    heads.clear();
    assertThat(heads.find(6)).isEmpty();
  }

  @Test
  void countsLargeWindowsToOnePartIn512() {
    long previous = -1;
    for (long window = 0; window < 1L << 40; window += 1 + window / 100) {
      int bucket = WindowSizes.bucket(window);
      assertThat(WindowSizes.largestOf(bucket)).isBetween(window, window + window / 512);
      assertThat((long) bucket).isGreaterThanOrEqualTo(previous);
      previous = bucket;
    }
  }
}
