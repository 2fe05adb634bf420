package io.tallystick.audit;

import static io.tallystick.audit.Logs.FIXTURES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.audit.chunk.ChunkReader;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditSummary;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.EntryRun;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.HeadEvidence;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.BodyState;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.model.TreeSize;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.Submission;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/// Goal: a right log passes and is counted; what comes from outside the log decides as it must.
/// Method: logs of the reference ledger.
public class AuditorTest {

  @Test
  void passesARightLogAndCountsIt() {
    ReferenceLedger ledger = Logs.sample();
    AuditReport report = Logs.audit(ledger);
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.size().value()).isEqualTo(Logs.SIZE);
    assertThat(report.root().digest()).isEqualTo(ledger.root());
    assertThat(report.checkpointVerified()).isTrue();
    AuditCounts counts = report.counts();
    assertThat(counts.leaves()).isEqualTo(17);
    assertThat(counts.blocks()).isEqualTo(6);
    assertThat(counts.journals()).isEqualTo(10);
    assertThat(counts.batches()).isEqualTo(1);
    assertThat(counts.signatures()).isEqualTo(8);
    assertThat(counts.bodies()).isEqualTo(10);
    assertThat(counts.memberChanges()).isEqualTo(2);
  }

  @Test
  void passesALedgerThatWasOnlyFounded() {
    assertThat(Logs.audit(ReferenceLedger.found(FIXTURES)).firstFault()).isEmpty();
  }

  @Test
  void passesWithoutACheckpointAndSaysSo() {
    ReferenceLedger ledger = Logs.sample();
    AuditReport report =
        Logs.audit(MemoryLog.of(ledger).withEnd(Bytes.EMPTY, ledger.headReceipt()));
    assertThat(report.firstFault()).isEmpty();
    assertThat(report.checkpointVerified()).isFalse();
  }

  /// The second piece of a log is read by another thread.
  @Test
  void throwsWhatTheSourceThrewHoweverFarTheLogWasRead() {
    MemoryLog log =
        MemoryLog.of(
            ReferenceLedger.found(FIXTURES)
                .append(FIXTURES.batch(10, ChunkReader.ENTRIES_WANTED))
                .seal()
                .append(FIXTURES.single(1))
                .seal());
    for (int readable : new int[] {2, log.entries().size() - 1}) {
      IOException failure = new NoSuchFileException("log.copy");
      LogSource failing = new BareLog(() -> new FailingReader(log.open(), readable, failure));
      assertThatThrownBy(() -> Logs.AUDITOR.audit(Logs.LEDGER, failing, Logs.OPTIONS))
          .isSameAs(failure);
    }
  }

  /// Fails once so many entries have been read.
  private static final class FailingReader extends ForwardingReader {
    private final IOException failure;
    private int left;

    FailingReader(LogReader log, int readable, IOException failure) {
      super(log);
      this.left = readable;
      this.failure = failure;
    }

    @Override
    public boolean next(EntryRun run) throws IOException, LogFormatException {
      if (left-- == 0) {
        throw failure;
      }
      return super.next(run);
    }
  }

  @Test
  void refusesAnotherLedgerThanThePinnedOne() throws Exception {
    LedgerId other = new LedgerId(Digest.ZERO);
    AuditReport report = Logs.AUDITOR.audit(other, MemoryLog.of(Logs.sample()), Logs.OPTIONS);
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::kind)
        .isEqualTo(FaultKind.WRONG_LEDGER);
  }

  @Test
  void refusesAGenesisOfAnotherLedgerUnderThePinnedName() {
    ReferenceLedger other =
        ReferenceLedger.found(
            Fixtures.ledger(
                FIXTURES.timeMs(),
                "other.example",
                Fixtures.NOTE.publicKey(),
                Fixtures.RECEIPT.publicKey()));
    MemoryLog log = MemoryLog.of(other);
    Logs.assertFault(
        new MemoryLog(FIXTURES.strand(), log.entries(), log.end()), 0, FaultKind.WRONG_LEDGER);
  }

  @Test
  void acceptsAHeadItAlreadyTrusted() {
    ReferenceLedger ledger = Logs.sample();
    AuditReport report =
        Logs.audit(MemoryLog.of(ledger), Logs.OPTIONS.withTrustedHead(head(12, ledger.root(12))));
    assertThat(report.firstFault()).isEmpty();
  }

  @Test
  void catchesALogThatWasRewrittenByItsOperatorAgainstATrustedHead() throws Exception {
    ReferenceLedger ledger = Logs.sample();
    ReferenceLedger rewritten = without(ledger, 2);
    assertThat(Logs.audit(rewritten).firstFault()).as("nothing else can tell").isEmpty();
    AuditReport report =
        Logs.audit(MemoryLog.of(rewritten), Logs.OPTIONS.withTrustedHead(head(8, ledger.root(8))));
    assertThat(report.firstFault())
        .get()
        .isEqualTo(
            new AuditFault(
                7,
                FaultKind.TRUSTED_HEAD_CONTRADICTED,
                String.format(
                    Locale.ROOT,
                    "root of size 8 is %s, the trusted head's is %s",
                    rewritten.root(8),
                    ledger.root(8))));
  }

  @Test
  void catchesALogThatIsShorterThanATrustedHead() {
    ReferenceLedger ledger = Logs.sample();
    AuditReport report =
        Logs.audit(
            MemoryLog.of(ReferenceLedger.found(FIXTURES)),
            Logs.OPTIONS.withTrustedHead(head(17, ledger.root())));
    assertThat(report.firstFault())
        .get()
        .extracting(AuditFault::kind)
        .isEqualTo(FaultKind.TRUSTED_HEAD_CONTRADICTED);
  }

  @Test
  void goesOnBehindBodiesWhenAskedForAllFaults() {
    MemoryLog log =
        MemoryLog.of(Logs.sample())
            .with(4, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED))
            .with(10, entry -> MemoryLog.bodiless(entry, BodyState.ERASED));
    AuditReport report = Logs.audit(log, Logs.OPTIONS.withAllFaults());
    assertThat(report.faults()).extracting(AuditFault::jsn).containsExactly(4L, 10L);
    assertThat(report.counts().bodiesDamaged()).isEqualTo(1);
    assertThat(report.counts().bodiesErased()).isEqualTo(1);
    assertThat(report.checkpointVerified()).as("the rest was audited too").isTrue();
  }

  @Test
  void findsTheSameFaultWithAnyNumberOfThreads() {
    ReferenceLedger ledger = longLog();
    MemoryLog right = MemoryLog.of(ledger);
    int faulty = ledger.size() - 2_000;
    MemoryLog wrong =
        right
            .with(faulty + 900, entry -> MemoryLog.bodiless(entry, BodyState.ERASED))
            .with(faulty, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    for (int threads = 1; threads <= 8; threads *= 2) {
      AuditOptions options = Logs.OPTIONS.withThreads(threads);
      assertThat(Logs.audit(right, options).firstFault()).as("%d threads", threads).isEmpty();
      assertThat(Logs.audit(wrong, options).firstFault())
          .get()
          .extracting(AuditFault::jsn, AuditFault::kind)
          .containsExactly((long) faulty, FaultKind.BODY_DAMAGED);
    }
  }

  @Test
  void tellsProgressUpToTheWhole() {
    List<Long> done = new ArrayList<>();
    Logs.audit(
        MemoryLog.of(Logs.sample()),
        Logs.OPTIONS.withProgress((leaves, total, rate) -> {
          assertThat(total).isEqualTo(Logs.SIZE);
          done.add(leaves);
        }));
    assertThat(done).last().isEqualTo((long) Logs.SIZE);
  }

  @Test
  void saysThatItCannotJudgeMoreOpenSignaturesThanItKeeps() {
    List<Submission> many = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      many.add(FIXTURES.single(i));
    }
    MemoryLog log =
        MemoryLog.of(ReferenceLedger.found(FIXTURES).blocks(many.toArray(Submission[]::new)));
    Auditor small = new Auditor(SignatureProviders.best(), 300);
    assertThatThrownBy(() -> small.audit(Logs.LEDGER, log, Logs.OPTIONS))
        .isInstanceOf(AuditLimitException.class);
  }

  @Test
  void reportsInPlainWordsAndInPlainValues() {
    AuditReport report =
        Logs.audit(
            MemoryLog.of(Logs.sample())
                .with(4, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED)));
    assertThat(AuditText.of(report))
        .startsWith("AUDIT FAILED at jsn 4: the stored body is damaged.\n");
    assertThat(AuditSummary.of(report).result()).isEqualTo("failed");
    assertThat(AuditSummary.of(report).firstFaultyJsn()).isEqualTo(4);
    assertThat(AuditText.of(Logs.audit(Logs.sample()))).startsWith("AUDIT PASSED");
  }

  public static SignedHead head(long size, Digest root) {
    return new SignedHead(
        FIXTURES.strand(),
        new TreeSize(size),
        new JournalRoot(root),
        new HeadEvidence.CheckpointNote(Bytes.EMPTY));
  }

  private static ReferenceLedger without(ReferenceLedger ledger, int index) throws Exception {
    var entries = new ArrayList<>(ledger.entries());
    entries.remove(index);
    return ReferenceLedger.resealed(FIXTURES, entries);
  }

  /// Several chunks, with a member who is added in the first and signs in all others.
  private static ReferenceLedger longLog() {
    ReferenceLedger ledger =
        ReferenceLedger.found(FIXTURES)
            .append(FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()))
            .seal();
    for (int i = 1; i <= 6; i++) {
      ledger
          .append(FIXTURES.submission(FIXTURES.requests(10_000 * i, 1_500), Fixtures.CAROL))
          .append(Logs.byCarol(i))
          .seal();
    }
    return ledger;
  }
}
