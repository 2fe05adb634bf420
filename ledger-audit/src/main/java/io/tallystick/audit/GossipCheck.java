package io.tallystick.audit;

import io.tallystick.audit.AuditGossip.Cosigner;
import io.tallystick.audit.AuditGossip.Outcome;
import io.tallystick.crypto.Signatures;
import io.tallystick.evidence.HeadStatement;
import io.tallystick.head.ServiceKeys;
import io.tallystick.model.Bytes;
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

  /// @param others those asked for, and the source's cosigned checkpoint
  /// @param replay as far as it came
  /// @param ended whether it came to the end of the log without a fault that ends it
  AuditGossip judge(List<OtherHead> others, Replay replay, boolean ended) {
    List<AuditGossip.Head> heads = new ArrayList<>();
    for (OtherHead other : others) {
      heads.add(judge(other, replay));
    }
    Optional<AuditGossip.Quorum> quorum =
        options.witnesses().map(witnesses -> quorum(witnesses, heads));
    if (ended && quorum.isPresent() && !quorum.get().reached()) {
      note(replay.size(), FaultKind.HEAD_NOT_WITNESSED, words(quorum.get()));
    }
    return new AuditGossip(heads, quorum);
  }

  private AuditGossip.Head judge(OtherHead other, Replay replay) {
    long size = other.size().value();
    if (size > replay.size()) {
      return head(other, Outcome.LARGER, "the log was read up to size " + replay.size());
    }
    Optional<Digest> found = replay.rootAt(size);
    if (found.isEmpty()) {
      return head(other, Outcome.NOT_JUDGED, "it lies before the leaves of this run");
    }
    List<Cosigner> cosigners;
    try {
      cosigners = verified(other, replay.keys());
    } catch (ProofRejectedException e) {
      note(size, FaultKind.HEAD_INVALID, other.name() + ": " + e.getMessage());
      return head(other, Outcome.INVALID, String.valueOf(e.getMessage()));
    }
    if (!found.get().equals(other.root().digest())) {
      String detail =
          "root of size %d is %s, in %s it is %s"
              .formatted(size, found.get(), other.name(), other.root());
      note(size, FaultKind.OTHER_HEAD_CONTRADICTED, detail);
      return head(other, Outcome.CONTRADICTED, "the log has root " + found.get(), cosigners);
    }
    return head(other, Outcome.CONTAINED, "", cosigners);
  }

  /// The demanded witnesses under a head that the service signed.
  private List<Cosigner> verified(OtherHead other, ServiceKeys keys) throws ProofRejectedException {
    if (other.statement().isEmpty()) {
      return List.of();
    }
    Bytes statement = other.statement().get();
    HeadStatement.verify(statement, strand, keys, signatures);
    if (options.witnesses().isEmpty()) {
      return List.of();
    }
    SignedNote note;
    try {
      note = SignedNote.decode(statement);
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

  static String words(AuditGossip.Quorum quorum) {
    return "%d of the demanded witnesses cosigned a head of this log, want %d; missing: %s"
        .formatted(quorum.cosigners().size(), quorum.wanted(), String.join(", ", quorum.missing()));
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
