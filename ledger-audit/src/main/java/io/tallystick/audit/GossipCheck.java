package io.tallystick.audit;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditGossip.Cosigner;
import io.tallystick.audit.finding.AuditGossip.Outcome;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.finding.Findings;
import io.tallystick.audit.history.Replay;
import io.tallystick.audit.options.GossipOptions;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.MalformedException;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.note.Cosignature;
import io.tallystick.note.SignedNote;
import io.tallystick.note.Witnesses;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Judges the heads of others at the end of an audit, each by the service keys that are valid for
/// its size. The rule is that of {@link io.tallystick.head.TrustRule}: all heads of a strand are
/// heads of one log. The log itself takes the place of a consistency proof.
final class GossipCheck {
  private static final long MILLIS_PER_SECOND = 1000;

  private final StrandId strand;
  private final Signatures signatures;
  private final GossipOptions options;
  private final Findings findings;

  GossipCheck(StrandId strand, Signatures signatures, GossipOptions options, Findings findings) {
    this.strand = strand;
    this.signatures = signatures;
    this.options = options;
    this.findings = findings;
  }

  /// @param others those asked for, and behind them the source's cosigned checkpoint, if it was
  ///   asked for and is there
  /// @param replay as far as it came
  /// @param ended whether it came to the end of the log without a fault that ends it
  /// @param earlier by size, what joins heads below the log's start to its end
  AuditGossip judge(
      List<OtherHead> others, Replay replay, boolean ended, Map<Long, ConsistencyProof> earlier) {
    int asked = options.others().size();
    List<AuditGossip.Head> heads = new ArrayList<>();
    for (OtherHead other : others) {
      boolean own = heads.size() >= asked;
      heads.add(
          own && ended && other.size().value() > replay.size()
              ? rolledBack(other, replay)
              : judge(other, replay, Optional.ofNullable(earlier.get(other.size().value()))));
    }
    Optional<AuditGossip.Quorum> quorum =
        options.witnesses().map(witnesses -> quorum(witnesses, heads));
    if (ended && quorum.isPresent() && !quorum.get().reached()) {
      note(replay.size(), FaultKind.HEAD_NOT_WITNESSED, quorum.get().words());
    }
    return new AuditGossip(heads, quorum);
  }

  /// The source had this head before it showed the whole log, which is shorter.
  private AuditGossip.Head rolledBack(OtherHead own, Replay replay) {
    try {
      verify(own, replay.keys());
    } catch (ProofRejectedException e) {
      return invalid(own, replay.size(), e);
    }
    String detail = "the log ends at size %d, the source had this head before";
    note(
        replay.size(),
        FaultKind.OTHER_HEAD_CONTRADICTED,
        String.format(
            Locale.ROOT,
            "%s, size %s: %s",
            own.name(),
            own.size(),
            String.format(Locale.ROOT, detail, replay.size())));
    return head(own, Outcome.CONTRADICTED, String.format(Locale.ROOT, detail, replay.size()));
  }

  private AuditGossip.Head judge(OtherHead other, Replay replay, Optional<ConsistencyProof> proof) {
    long size = other.size().value();
    if (size > replay.size()) {
      return head(other, Outcome.LARGER, "the log was read up to size " + replay.size());
    }
    Optional<Digest> found = replay.rootAt(size);
    if (found.isEmpty() && proof.isPresent()) {
      return joined(other, replay, proof.get());
    }
    if (found.isEmpty()) {
      return head(other, Outcome.NOT_JUDGED, "it lies before the leaves of this run");
    }
    try {
      verify(other, replay.keys());
      // First: a bad line below the service's own signature must not hide a fork.
      if (!found.get().equals(other.root().digest())) {
        return contradicted(other, found.get());
      }
      return head(other, Outcome.CONTAINED, "", cosigners(other));
    } catch (ProofRejectedException e) {
      return invalid(other, size, e);
    }
  }

  /// A head from below where the log begins.
  private AuditGossip.Head joined(OtherHead other, Replay replay, ConsistencyProof proof) {
    try {
      verify(other, replay.keys());
    } catch (ProofRejectedException e) {
      return invalid(other, other.size().value(), e);
    }
    try {
      proof.verify(other.root(), new JournalRoot(replay.root()));
    } catch (ProofRejectedException e) {
      String detail = "the log does not continue it: " + e.getMessage();
      note(
          other.size().value(),
          FaultKind.OTHER_HEAD_CONTRADICTED,
          String.format(Locale.ROOT, "%s, size %s: %s", other.name(), other.size(), detail));
      return head(other, Outcome.CONTRADICTED, detail, cosignersOrNone(other));
    }
    try {
      return head(other, Outcome.CONTAINED, "", cosigners(other));
    } catch (ProofRejectedException e) {
      return invalid(other, other.size().value(), e);
    }
  }

  private AuditGossip.Head invalid(OtherHead other, long size, ProofRejectedException e) {
    note(size, FaultKind.HEAD_INVALID, other.name() + ": " + e.getMessage());
    return head(other, Outcome.INVALID, String.valueOf(e.getMessage()));
  }

  private AuditGossip.Head contradicted(OtherHead other, Digest found) {
    long size = other.size().value();
    note(
        size,
        FaultKind.OTHER_HEAD_CONTRADICTED,
        String.format(
            Locale.ROOT,
            "root of size %d is %s, in %s it is %s",
            size,
            found,
            other.name(),
            other.root()));
    return head(other, Outcome.CONTRADICTED, "the log has root " + found, cosignersOrNone(other));
  }

  private List<Cosigner> cosignersOrNone(OtherHead other) {
    try {
      return cosigners(other);
    } catch (ProofRejectedException _) {
      return List.of(); // the service's signature is what convicts it
    }
  }

  /// That the service signed it; another auditor's word has no signature of the service.
  private void verify(OtherHead other, ServiceKeys keys) throws ProofRejectedException {
    if (other.statement().isPresent()) {
      HeadStatement.verify(other.statement().get(), strand, keys, signatures);
    }
  }

  /// The demanded witnesses under it.
  private List<Cosigner> cosigners(OtherHead other) throws ProofRejectedException {
    if (other.statement().isEmpty() || options.witnesses().isEmpty()) {
      return List.of();
    }
    SignedNote note;
    try {
      note = SignedNote.decode(other.statement().get());
    } catch (MalformedException _) {
      return List.of(); // a COSE_Sign1: nobody cosigns those
    }
    return options.witnesses().get().cosignatures(note, signatures).stream()
        .map(GossipCheck::cosigner)
        .toList();
  }

  private static Cosigner cosigner(Cosignature cosignature) {
    return new Cosigner(
        cosignature.witness().name(), cosignature.timeSeconds() * MILLIS_PER_SECOND);
  }

  private static AuditGossip.Quorum quorum(Witnesses witnesses, List<AuditGossip.Head> heads) {
    Comparator<AuditGossip.Head> better =
        Comparator.comparingInt(
                (AuditGossip.Head head) -> Math.min(head.cosigners().size(), witnesses.quorum()))
            .thenComparingLong(AuditGossip.Head::size);
    Optional<AuditGossip.Head> best =
        heads.stream()
            .filter(head -> head.outcome() == Outcome.CONTAINED && !head.cosigners().isEmpty())
            .max(better);
    List<Cosigner> cosigners = best.map(AuditGossip.Head::cosigners).orElse(List.of());
    List<String> missing =
        witnesses.keys().stream()
            .map(key -> key.name())
            .filter(name -> cosigners.stream().noneMatch(each -> each.witness().equals(name)))
            .toList();
    return new AuditGossip.Quorum(
        witnesses.quorum(),
        cosigners.size() >= witnesses.quorum(),
        best.map(AuditGossip.Head::size).orElse(-1L),
        cosigners,
        missing);
  }

  private void note(long size, FaultKind kind, String detail) {
    findings.note(new AuditFault(size - 1, kind, detail));
  }

  private static AuditGossip.Head head(OtherHead other, Outcome outcome, String detail) {
    return head(other, outcome, detail, List.of());
  }

  private static AuditGossip.Head head(
      OtherHead other, Outcome outcome, String detail, List<Cosigner> cosigners) {
    return new AuditGossip.Head(
        other.name(),
        other.size().value(),
        other.root().digest().hex(),
        other.statement().isPresent(),
        outcome,
        detail,
        cosigners);
  }
}
