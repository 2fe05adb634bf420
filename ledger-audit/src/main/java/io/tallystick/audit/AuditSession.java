package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.CheckPipeline;
import io.tallystick.audit.chunk.CheckedChunk;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.ProgressMeter;
import io.tallystick.audit.finding.StatementException;
import io.tallystick.audit.history.HeadComparison;
import io.tallystick.audit.history.PurgeJudge;
import io.tallystick.audit.history.RemovalReplay;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.history.SignatureWindow;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.options.EntryBounds;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.audit.source.LogSource;
import io.tallystick.audit.source.StartWatch;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Bytes;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.removal.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One audit, whatever its run goes through: what was asked, the replay, and what has been found.
/// Used once.
final class AuditSession implements AutoCloseable {
  private final StrandId strand;
  private final Signatures signatures;
  private final AuditOptions options;
  private final int openSignaturesMax;
  private final @Nullable EntryBounds bounds;
  private final NavigableSet<Long> snapshotsAt;
  private final Findings findings;
  private final List<OtherHead> others;
  private final AuditEnd end = new AuditEnd(this);
  private final long startNanos = System.nanoTime();
  private Optional<Anchor.Signed> anchor = Optional.empty();
  private @Nullable Replay replay;
  private boolean purgesJudged;

  /// @param bounds told of a T-Ledger's entries and tokens; null if nobody asks
  /// @param snapshotsAt the ends of prefixes of which it makes snapshots
  AuditSession(
      StrandId strand,
      Signatures signatures,
      AuditOptions options,
      int openSignaturesMax,
      @Nullable EntryBounds bounds,
      NavigableSet<Long> snapshotsAt) {
    this.strand = strand;
    this.signatures = signatures;
    this.options = options;
    this.openSignaturesMax = openSignaturesMax;
    this.bounds = bounds;
    this.snapshotsAt = snapshotsAt;
    this.findings = new Findings(options.stopAtFirstFault());
    this.others = new ArrayList<>(options.gossip().others());
  }

  StrandId strand() {
    return strand;
  }

  Signatures signatures() {
    return signatures;
  }

  AuditOptions options() {
    return options;
  }

  NavigableSet<Long> snapshotsAt() {
    return snapshotsAt;
  }

  Findings findings() {
    return findings;
  }

  /// Heads of others that the log must contain.
  List<OtherHead> others() {
    return others;
  }

  /// By which signatures and bodies were vouched for; empty if it was not read, or not asked for.
  Optional<Anchor.Signed> anchor() {
    return anchor;
  }

  long startNanos() {
    return startNanos;
  }

  AuditReport audit(LogSource source, AuditRun run)
      throws IOException, AuditLimitException, InterruptedException, StatementException {
    StartWatch start = StartWatch.begin(source);
    long resumedFrom = 0;
    try {
      askForCosigned(source);
      resumedFrom = run.resumedFrom();
      run.run(source);
    } catch (FaultException e) {
      findings.note(e.fault());
      notePurges(source);
    } finally {
      close();
    }
    if (findings.count() > 0) {
      start.check();
    }
    return end.report(Optional.ofNullable(replay), resumedFrom);
  }

  /// Before the log is read, so that the log is no shorter.
  private void askForCosigned(LogSource source) throws FaultException, IOException {
    if (options.gossip().witnesses().isEmpty()) {
      return;
    }
    try {
      Optional<Bytes> cosigned = source.cosigned();
      if (cosigned.isPresent()) {
        others.add(OtherHead.of("cosigned checkpoint", cosigned.get(), strand));
      }
    } catch (ProofRejectedException e) {
      throw new FaultException(0, FaultKind.HEAD_INVALID, String.valueOf(e.getMessage()));
    } catch (LogFormatException e) {
      throw new FaultException(0, e.kind(), String.valueOf(e.getMessage()));
    }
  }

  /// The same context, with the anchor's word for what lies below it.
  AuditContext vouched(AuditContext context) throws FaultException {
    if (options.anchor().isEmpty()) {
      return context;
    }
    try {
      Anchor.Signed signed = Anchor.decode(options.anchor().get(), strand);
      anchor = Optional.of(signed);
      return context.vouchedBelow(signed.anchor().size().value());
    } catch (ProofRejectedException e) {
      throw new FaultException(0, FaultKind.ANCHOR_INVALID, String.valueOf(e.getMessage()));
    }
  }

  HeadComparison anchorCheck() {
    return HeadComparison.ofAnchor(anchor.map(Anchor.Signed::anchor));
  }

  /// Makes the replay, which this session closes.
  Replay begin(AuditContext context) {
    Replay begun =
        new Replay(
            context,
            HeadComparison.of(options.trustedHead(), others),
            anchorCheck(),
            new SignatureWindow(openSignaturesMax),
            findings,
            options,
            bounds);
    begun.removalReplay().makeSnapshotsAt(snapshotsAt);
    replay = begun;
    return begun;
  }

  /// Checks a log and all that was asked to be at its end.
  ///
  /// @param statements null if none are kept
  void toEnd(LogSource source, OpenLog log, @Nullable AuditStatements statements)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    StatementKeeper keeper =
        new StatementKeeper(log.context(), AuditStatements.checks(options), statements);
    CheckedChunk.Closing closing = walk(log, keeper);
    judgePurges(source, log.replay());
    end.check(source, log, closing);
    keeper.finished(log.replay());
  }

  /// Checks a log chunk by chunk.
  ///
  /// @return null if it was cut off before its end
  CheckedChunk.@Nullable Closing walk(OpenLog log, Replay.SealListener listener)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    ProgressMeter meter = new ProgressMeter(options.progress(), log.log().size());
    CheckedChunk.Closing closing = null;
    try (CheckPipeline pipeline =
        new CheckPipeline(
            log.chunks(),
            log.first(),
            log.context().hashedBy(options.hasher()),
            options.threads())) {
      while (pipeline.hasNext()) {
        CheckedChunk checked = pipeline.next();
        log.replay().add(checked, listener);
        closing = checked.closing();
        meter.update(log.replay().size());
      }
    }
    return closing;
  }

  /// Where the audit ends before the log: a purge below may be at fault, too.
  private void notePurges(LogSource source)
      throws IOException, AuditLimitException, InterruptedException {
    try {
      if (replay != null) {
        judgePurges(source, replay);
      }
    } catch (FaultException e) {
      findings.note(e.fault());
    }
  }

  private void judgePurges(LogSource source, Replay running)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    RemovalReplay removals = running.removalReplay();
    if (purgesJudged || removals.purges().unjudged().isEmpty()) {
      return;
    }
    purgesJudged = true;
    new PurgeJudge(removals, findings).judge(ends -> new PrefixRun(again(ends)).read(source));
  }

  /// A session in which the beginning of the log is read again.
  private AuditSession again(NavigableSet<Long> ends) {
    AuditOptions shape =
        AuditOptions.defaults()
            .withThreads(options.threads())
            .withMemory(options.memory())
            .withHasher(options.hasher());
    return new AuditSession(
        strand,
        signatures,
        options.stopAtFirstFault() ? shape : shape.withAllFaults(),
        openSignaturesMax,
        null,
        ends);
  }

  /// After an audit that found no fault; empty if no block ends there.
  Optional<Snapshot> snapshot() {
    return replay == null || findings.count() > 0 || snapshotsAt.size() != 1
        ? Optional.empty()
        : replay.removalReplay().snapshot(snapshotsAt.first());
  }

  /// The service's keys at the end of a log without a fault.
  ServiceKeys keys() {
    if (replay == null) {
      throw new IllegalStateException("the log was not audited");
    }
    return replay.keys();
  }

  /// Gives up the replay; what it counted can still be read.
  @Override
  public void close() throws IOException {
    if (replay != null) {
      replay.close();
    }
  }
}
