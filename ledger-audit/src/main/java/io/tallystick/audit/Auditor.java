package io.tallystick.audit;

import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.SignatureWindow;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.EntryBounds;
import io.tallystick.audit.options.TrustedTLedger;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.LogSource.LogReader;
import io.tallystick.audit.statement.AuditStatement;
import io.tallystick.crypto.Signatures;
import io.tallystick.journal.Commitments;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.tledger.EntryInclusion;
import java.io.IOException;
import java.util.Collections;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Audits a whole log against nothing but the ledgerId that was pinned: every leaf, root, seal,
/// signature and body. What it finds does not depend on the number of threads. Immutable and
/// thread-safe.
public final class Auditor {
  private static final int STRAND = 0;
  private static final NavigableSet<Long> NO_SNAPSHOTS = Collections.emptyNavigableSet();

  private final Signatures signatures;
  private final int openSignaturesMax;

  public Auditor(Signatures signatures) {
    this(signatures, SignatureWindow.OPEN_MAX);
  }

  Auditor(Signatures signatures, int openSignaturesMax) {
    this.signatures = signatures;
    this.openSignaturesMax = openSignaturesMax;
  }

  /// Audits the ledger's only strand.
  ///
  /// @throws IOException if the source cannot be reached: nothing is known then
  /// @throws AuditLimitException if the log is beyond this auditor's bounds: nothing is known then
  public AuditReport audit(LedgerId pinned, LogSource source, AuditOptions options)
      throws IOException, AuditLimitException, InterruptedException {
    return audit(new StrandId(pinned, STRAND), source, options);
  }

  public AuditReport audit(StrandId pinned, LogSource source, AuditOptions options)
      throws IOException, AuditLimitException, InterruptedException {
    try {
      return audit(session(pinned, options, null, NO_SNAPSHOTS), source, null);
    } catch (StatementException e) {
      throw new AssertionError("no statement was asked for", e);
    }
  }

  /// Audits a log and makes the snapshot that a purge up to `firstKept` is signed with.
  ///
  /// @param firstKept behind the seal of the last block that goes
  /// @throws StatementException if there is a statement from behind that seal, or one that cannot
  ///   be gone on from; then nothing was audited
  public AuditedSnapshot snapshot(
      StrandId pinned,
      LogSource source,
      AuditOptions options,
      Optional<AuditStatements> statements,
      long firstKept)
      throws IOException, AuditLimitException, InterruptedException, StatementException {
    if (options.anchor().isPresent()) {
      throw new IllegalArgumentException(
          "who signs a purge has verified the log, no anchor's word");
    }
    AuditSession session = session(pinned, options, null, new TreeSet<>(Set.of(firstKept)));
    AuditReport report = audit(session, source, statements.orElse(null));
    return new AuditedSnapshot(report, session.snapshot());
  }

  /// Audits from where this auditor's last statement ends, or from the beginning if there is none,
  /// and states how far it has come as it goes and at the end.
  ///
  /// @param options not of a T-Ledger, whose heads a statement does not hold, and without an
  ///   anchor: a statement says what this auditor itself has verified
  /// @throws StatementException if there is a statement that cannot be gone on from; then nothing
  ///   was audited
  public AuditReport audit(
      StrandId pinned, LogSource source, AuditOptions options, AuditStatements statements)
      throws IOException, AuditLimitException, InterruptedException, StatementException {
    if (options.anchor().isPresent()) {
      throw new IllegalArgumentException("an audit from an anchor makes no statement");
    }
    return audit(session(pinned, options, null, NO_SNAPSHOTS), source, statements);
  }

  private AuditSession session(
      StrandId pinned,
      AuditOptions options,
      @Nullable EntryBounds bounds,
      NavigableSet<Long> snapshotsAt) {
    return new AuditSession(pinned, signatures, options, openSignaturesMax, bounds, snapshotsAt);
  }

  /// @param statements null if none are kept
  private static AuditReport audit(
      AuditSession session, LogSource source, @Nullable AuditStatements statements)
      throws IOException, AuditLimitException, InterruptedException, StatementException {
    if (statements == null) {
      return session.audit(source, new FirstRun(session, null));
    }
    if (session.options().submitters().isPresent()) {
      throw new IllegalArgumentException("a statement does not hold a T-Ledger's heads");
    }
    Optional<AuditStatement> known =
        statements.read(session.strand(), session.options(), session.signatures());
    return session.audit(
        source,
        known.isPresent()
            ? new ResumedRun(session, statements, known.get())
            : new FirstRun(session, statements));
  }

  /// Audits the whole log of a T-Ledger, without its bodies, so that time journals with an entry of
  /// it can be judged.
  ///
  /// @param submitter whose entries are to be judged
  /// @param options of the audit: by its authorities the T-Ledger's tokens are judged
  /// @throws ProofRejectedException `BROKEN_CHAIN` if the T-Ledger's log has a fault, `MALFORMED`
  ///   if it is none
  /// @throws IOException if the source cannot be reached: nothing is known then
  /// @throws AuditLimitException if the log is beyond this auditor's bounds: nothing is known then
  public TrustedTLedger tLedger(LogSource source, LedgerId submitter, AuditOptions options)
      throws IOException, AuditLimitException, InterruptedException, ProofRejectedException {
    StrandId strand = strand(source);
    EntryBounds bounds =
        new EntryBounds(Commitments.clueId(strand.ledger(), EntryInclusion.clue(submitter)));
    AuditSession session = session(strand, options.withoutBodies(), bounds, NO_SNAPSHOTS);
    AuditReport report;
    try {
      report = audit(session, source, null);
    } catch (StatementException e) {
      throw new AssertionError("no statement was asked for", e);
    }
    if (report.firstFault().isPresent()) {
      throw new ProofRejectedException(
          Reason.BROKEN_CHAIN,
          String.format(
              Locale.ROOT,
              "T-Ledger %s itself has a fault: %s",
              strand.ledger(),
              report.firstFault().get()));
    }
    return TrustedTLedger.audited(strand.ledger(), session.keys(), report.size().value(), bounds);
  }

  private static StrandId strand(LogSource source) throws IOException, ProofRejectedException {
    try (LogReader log = source.open()) {
      return log.strand();
    } catch (LogFormatException e) {
      throw new ProofRejectedException(Reason.MALFORMED, "the T-Ledger: " + e.getMessage(), e);
    }
  }
}
