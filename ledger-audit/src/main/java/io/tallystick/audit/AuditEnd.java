package io.tallystick.audit;

import io.tallystick.audit.chunk.AuditContext;
import io.tallystick.audit.chunk.CheckedChunk;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditLimitException;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.FaultException;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.audit.finding.RunningCounts;
import io.tallystick.audit.history.EarlierHeads;
import io.tallystick.audit.history.HeadComparison;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.history.TimeWindows;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.source.LogEnd;
import io.tallystick.audit.source.LogSource;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.HeadAge;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.TreeSize;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The checks of an audit where the log ends, and its report. Used once.
final class AuditEnd {
  private final AuditSession session;
  private LogEnd verified = LogEnd.NONE;
  private Optional<SignedHead> signed = Optional.empty();

  /// Proofs that the log continues heads of others from below its start, by the sizes of the heads.
  private Map<Long, ConsistencyProof> earlierHeads = Map.of();

  AuditEnd(AuditSession session) {
    this.session = session;
  }

  /// @param closing with which the log ended; null if it was cut off
  void check(LogSource source, OpenLog log, CheckedChunk.@Nullable Closing closing)
      throws FaultException, IOException, AuditLimitException {
    if (closing == null) {
      throw new AssertionError("a log without a fault has an end");
    }
    finish(log.replay(), log.context(), closing);
    joinEarlier(source, log);
  }

  private void finish(Replay replay, AuditContext context, CheckedChunk.Closing closing)
      throws FaultException, IOException {
    if (!replay.sealed()) {
      throw new FaultException(
          replay.size() - 1, FaultKind.UNSEALED_END, "the last leaf is no seal");
    }
    replay.checkRemovals();
    HeadComparison.of(session.options().trustedHead(), List.of()).checkReached(replay.size());
    session.anchorCheck().checkReached(replay.size());
    checkAnchorSigner(replay);
    signed =
        Optional.of(
            new HeadCheck(context, replay.keys(), replay.size(), replay.root()).check(closing));
    replay.checkTail();
    replay.removalReplay().checkStart(replay.size());
    verified = closing.end();
  }

  /// At the end of the log, where it is known who its members are.
  private void checkAnchorSigner(Replay replay) throws FaultException {
    if (session.options().anchor().isEmpty() || session.anchor().isEmpty()) {
      return;
    }
    try {
      Anchor.Signed _ =
          Anchor.verify(
              session.options().anchor().get(),
              session.strand(),
              replay.validMembers(),
              session.signatures());
    } catch (ProofRejectedException e) {
      throw new FaultException(
          session.anchor().get().anchor().size().value() - 1,
          FaultKind.ANCHOR_INVALID,
          String.valueOf(e.getMessage()));
    }
  }

  /// Heads below what is left of the log: that it continues them, a proof must show.
  private void joinEarlier(LogSource source, OpenLog log)
      throws FaultException, IOException, AuditLimitException {
    Replay replay = log.replay();
    EarlierHeads earlier = new EarlierHeads(source, log.firstKept(), replay.size(), replay.root());
    if (session.options().trustedHead().isPresent()) {
      SignedHead head = session.options().trustedHead().get();
      earlier.join(head.size(), head.root(), FaultKind.TRUSTED_HEAD_CONTRADICTED);
    }
    if (session.anchor().isPresent()) {
      Anchor known = session.anchor().get().anchor();
      earlier.join(known.size(), known.root(), FaultKind.ANCHOR_INVALID);
    }
    replay.joined();
    earlierHeads = earlier.proofs(session.others());
  }

  /// @param replay as far as it came; empty if genesis was not accepted
  AuditReport report(Optional<Replay> replay, long resumedFrom) {
    AuditOptions options = session.options();
    AuditGossip gossip = replay.map(this::gossip).orElse(AuditGossip.NONE);
    return new AuditReport(
        session.strand(),
        new TreeSize(replay.map(Replay::size).orElse(0L)),
        new JournalRoot(replay.map(Replay::root).orElse(TreeHasher.EMPTY_ROOT)),
        replay.map(Replay::counts).orElseGet(() -> new RunningCounts().snapshot()),
        session.findings().sorted(),
        session.findings().count(),
        !verified.checkpoint().isEmpty(),
        !verified.headReceipt().isEmpty(),
        resumedFrom,
        session.anchor(),
        options.bodies(),
        replay.map(Replay::time).orElseGet(() -> TimeWindows.none(options.time())),
        replay.map(Replay::people).orElse(AuditedPeople.NONE),
        options.submitters().map(_ -> replay.map(Replay::heads).orElse(HeldHeads.NONE)),
        gossip,
        session.others(),
        signed,
        signed.isEmpty() ? Optional.empty() : replay.map(AuditEnd::age),
        replay.map(Replay::certificates).orElse(AuditedCertificates.NONE),
        replay.map(Replay::removals).orElse(AuditedRemovals.NONE),
        Duration.ofNanos(System.nanoTime() - session.startNanos()));
  }

  private AuditGossip gossip(Replay replay) {
    return new GossipCheck(
            session.strand(), session.signatures(), session.options().gossip(), session.findings())
        .judge(session.others(), replay, signed.isPresent(), earlierHeads);
  }

  /// A log that has a signed head ends with a seal.
  private static HeadAge age(Replay replay) {
    return new HeadAge(
        Instant.ofEpochMilli(replay.timeMs()), Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }
}
