package io.tallystick.audit;

import io.tallystick.audit.LogSource.LogReader;
import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// One audit: genesis first, then the chunks as they come, then the heads. Used once.
final class AuditRun {
  private final StrandId pinned;
  private final Signatures signatures;
  private final AuditOptions options;
  private final int openSignaturesMax;
  private final Findings findings;
  private final long startNanos = System.nanoTime();
  private @Nullable Replay replay;
  private boolean checkpointVerified;

  AuditRun(StrandId pinned, Signatures signatures, AuditOptions options, int openSignaturesMax) {
    this.pinned = pinned;
    this.signatures = signatures;
    this.options = options;
    this.openSignaturesMax = openSignaturesMax;
    this.findings = new Findings(options.stopAtFirstFault());
  }

  AuditReport audit(LogReader log) throws IOException, AuditLimitException, InterruptedException {
    try {
      ChunkReader chunks = new ChunkReader(log);
      Chunk first = chunks.next();
      AuditContext context = begin(log, first);
      run(log, chunks, first, context);
      return report();
    } catch (FaultException e) {
      return failed(e.fault());
    }
  }

  /// The report of an audit that ends with this fault.
  AuditReport failed(AuditFault fault) {
    findings.note(fault);
    return report();
  }

  private AuditContext begin(LogReader log, Chunk first) throws FaultException {
    if (!log.strand().equals(pinned)) {
      throw new FaultException(
          0, FaultKind.WRONG_LEDGER, "the log is of " + log.strand() + ", pinned is " + pinned);
    }
    if (first.entries().count() == 0) {
      AuditFault fault = first.sourceFault();
      throw new FaultException(
          fault != null
              ? fault
              : new AuditFault(0, FaultKind.LOG_TRUNCATED, "the log has no genesis leaf"));
    }
    return GenesisCheck.check(pinned, first.entries().entry(0), signatures, options.bodies());
  }

  private void run(LogReader log, ChunkReader chunks, Chunk first, AuditContext context)
      throws FaultException, IOException, AuditLimitException, InterruptedException {
    TrustedHeadCheck trusted = TrustedHeadCheck.of(options.trustedHead());
    SignatureWindow window = new SignatureWindow(openSignaturesMax);
    Replay running = new Replay(context, trusted, window, findings);
    replay = running;
    ProgressMeter meter = new ProgressMeter(options.progress(), log.size());
    CheckedChunk.Closing closing = null;
    try (CheckPipeline pipeline = new CheckPipeline(chunks, first, context, options.threads())) {
      while (pipeline.hasNext()) {
        CheckedChunk checked = pipeline.next();
        running.add(checked);
        closing = checked.closing();
        meter.update(running.size());
      }
    }
    finish(running, trusted, context, closing);
  }

  private void finish(
      Replay running,
      TrustedHeadCheck trusted,
      AuditContext context,
      CheckedChunk.@Nullable Closing closing)
      throws FaultException {
    if (closing == null) {
      throw new AssertionError("a log without a fault has an end");
    }
    if (!running.sealed()) {
      throw new FaultException(
          running.size() - 1, FaultKind.UNSEALED_END, "the last leaf is no seal");
    }
    trusted.checkReached(running.size());
    checkpointVerified = new HeadCheck(context, running.size(), running.root()).check(closing);
  }

  private AuditReport report() {
    Replay done = replay;
    return new AuditReport(
        pinned,
        new TreeSize(done == null ? 0 : done.size()),
        new JournalRoot(done == null ? TreeHasher.EMPTY_ROOT : done.root()),
        done == null ? new Tally().counts() : done.counts(),
        findings.sorted(),
        findings.count(),
        checkpointVerified,
        Duration.ofNanos(System.nanoTime() - startNanos));
  }
}
