package io.tallystick.audit.report;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.head.HeadAge;
import io.tallystick.model.Digest;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// An audit report in numbers and strings only, as `--json` shows it. Hashes are lower-case hex.
///
/// @param result `passed` or `failed`
/// @param firstFaultyJsn −1 if there is none
/// @param resumedFrom leaves audited by earlier runs; 0 if this one began at the first
/// @param vouchedSize below which signatures and bodies of ordinary journals were not checked; 0:
///   none
/// @param vouchedBy kid of the member whose word that is; empty: nobody's
/// @param memberCount there ever were
/// @param members the first 1,000 of them
/// @param closedJsn −1 if the ledger is open
/// @param heads of other ledgers; null unless it was audited as a T-Ledger
/// @param newestHead of the log, and how old it was when the audit ended; null if it was not
///   verified
/// @param certificates that grants name, of the leaves that this run read
/// @param removals what is gone, and who signed for it
/// @param leavesPerSecond of this run
public record AuditSummary(
    String result,
    String ledgerId,
    int strand,
    long size,
    String root,
    AuditCounts counts,
    long firstFaultyJsn,
    long faultCount,
    List<Fault> faults,
    boolean checkpointVerified,
    boolean receiptVerified,
    long resumedFrom,
    long vouchedSize,
    String vouchedBy,
    boolean bodiesChecked,
    AnchoredTime time,
    long memberCount,
    List<Member> members,
    List<Rotation> rotations,
    long closedJsn,
    @Nullable HeldHeads heads,
    AuditGossip gossip,
    @Nullable Head newestHead,
    Certificates certificates,
    Removals removals,
    long elapsedMs,
    double leavesPerSecond) {
  private static final int MEMBERS_MAX = 1_000;
  private static final double MILLIS_PER_SECOND = 1000.0;

  /// @param sealed as an ISO instant, by the service's clock
  /// @param ageMs by the auditor's clock; 0 if the seal is ahead of it
  /// @param aheadMs by how much the seal is ahead
  public record Head(String sealed, long ageMs, long aheadMs) {}

  /// @param kind a stable name
  public record Fault(long jsn, String kind, String plainWords, String detail) {}

  /// A member of the ledger. In sinceJsn, notAfterMs and revokedJsn −1 stands for none.
  ///
  /// @param standing `valid`, `expired`, `revoked` or `replaced`
  /// @param replacedBy null unless the standing is `replaced`
  public record Member(
      String kid,
      String role,
      String standing,
      long sinceJsn,
      long notAfterMs,
      boolean delegated,
      long revokedJsn,
      @Nullable String replacedBy) {}

  /// As {@link AuditedCertificates} counts them.
  public record Certificates(
      long good, long wrong, long missing, long unjudged, List<Certified> grants) {}

  /// @param verdict `good`, `wrong`, `missing` or `unjudged`
  /// @param subject null unless the verdict is `good`
  public record Certified(
      long jsn, String kid, String certDigest, String verdict, @Nullable String subject) {}

  /// As {@link AuditedRemovals} counts them.
  public record Removals(
      long count,
      long journals,
      long present,
      long waiting,
      long byClock,
      List<Occult> occults,
      List<Purge> purges,
      @Nullable Prefix prefix) {}

  /// As {@link AuditedRemovals.Prefix} has it.
  public record Prefix(long firstKept, long purgeJsn) {}

  /// @param affected who had to sign
  /// @param recalledJsn −1 if it stands
  /// @param compared whether its snapshot was compared with that of the log
  public record Purge(
      long jsn,
      long timeMs,
      long firstKept,
      long height,
      long recallMs,
      List<RemovalSigner> signers,
      List<String> affected,
      List<String> absent,
      long recalledJsn,
      boolean compared) {}

  /// @param clueId null if it names journals one by one
  /// @param journals how many it names
  /// @param gone the first 100 ranges of them, each [first, last]
  public record Occult(
      long jsn,
      long timeMs,
      String basis,
      @Nullable String clueId,
      List<RemovalSigner> signers,
      long journals,
      List<List<Long>> gone) {}

  public record RemovalSigner(String kid, String role) {}

  /// @param jsn of the rotation to these keys
  public record Rotation(long jsn, String noteKid, String receiptKid) {}

  public static AuditSummary of(AuditReport report) {
    AuditedPeople people = report.people();
    long elapsedMs = Math.max(1, report.elapsed().toMillis());
    return new AuditSummary(
        report.firstFault().isPresent() ? "failed" : "passed",
        report.strand().ledger().hex(),
        report.strand().strand(),
        report.size().value(),
        report.root().digest().hex(),
        report.counts(),
        report.firstFault().map(AuditFault::jsn).orElse(-1L),
        report.faultCount(),
        report.faults().stream().map(AuditSummary::fault).toList(),
        report.checkpointVerified(),
        report.receiptVerified(),
        report.resumedFrom(),
        report.anchor().map(signed -> signed.anchor().size().value()).orElse(0L),
        report.anchor().map(signed -> signed.kid().hex()).orElse(""),
        report.bodiesChecked(),
        report.time(),
        people.members().size(),
        people.members().stream().limit(MEMBERS_MAX).map(AuditSummary::member).toList(),
        people.rotations().stream().map(AuditSummary::rotation).toList(),
        people.closedJsn(),
        report.heads().orElse(null),
        report.gossip(),
        report.age().map(AuditSummary::head).orElse(null),
        certificates(report.certificates()),
        removals(report.removals()),
        elapsedMs,
        Math.max(0, report.counts().leaves() - report.resumedFrom())
            * MILLIS_PER_SECOND
            / elapsedMs);
  }

  private static Head head(HeadAge age) {
    return new Head(age.sealed().toString(), age.age().toMillis(), age.ahead().toMillis());
  }

  private static Fault fault(AuditFault fault) {
    return new Fault(fault.jsn(), fault.kind().name(), fault.kind().plainWords(), fault.detail());
  }

  private static Member member(AuditedPeople.Member member) {
    return new Member(
        member.kid().hex(),
        member.role().name().toLowerCase(Locale.ROOT),
        member.standing().name().toLowerCase(Locale.ROOT),
        member.sinceJsn(),
        member.notAfterMs(),
        member.delegated(),
        member.revokedJsn(),
        member.replacedBy().map(Digest::hex).orElse(null));
  }

  private static Certificates certificates(AuditedCertificates found) {
    return new Certificates(
        found.good(),
        found.wrong(),
        found.missing(),
        found.unjudged(),
        found.grants().stream().map(AuditSummary::certified).toList());
  }

  private static Removals removals(AuditedRemovals found) {
    return new Removals(
        found.count(),
        found.journals(),
        found.present(),
        found.waiting(),
        found.byClock(),
        found.occults().stream().map(AuditSummary::occult).toList(),
        found.purges().stream().map(AuditSummary::purge).toList(),
        found
            .prefix()
            .map(prefix -> new Prefix(prefix.firstKept(), prefix.purgeJsn()))
            .orElse(null));
  }

  private static Purge purge(AuditedRemovals.Purge purge) {
    return new Purge(
        purge.jsn(),
        purge.timeMs(),
        purge.firstKept(),
        purge.height(),
        purge.recallMs(),
        signers(purge.signers()),
        purge.affected().stream().map(Digest::hex).toList(),
        purge.absent().stream().map(Digest::hex).toList(),
        purge.recalledJsn(),
        purge.compared());
  }

  private static List<RemovalSigner> signers(List<AuditedRemovals.Signer> signers) {
    return signers.stream()
        .map(signer ->
            new RemovalSigner(signer.kid().hex(), signer.role().name().toLowerCase(Locale.ROOT)))
        .toList();
  }

  private static Occult occult(AuditedRemovals.Occult occult) {
    return new Occult(
        occult.jsn(),
        occult.timeMs(),
        occult.basis(),
        occult.clue().map(Digest::hex).orElse(null),
        signers(occult.signers()),
        occult.journals(),
        occult.gone().stream().map(range -> List.of(range.first(), range.last())).toList());
  }

  private static Certified certified(AuditedCertificates.Certified grant) {
    return new Certified(
        grant.jsn(),
        grant.kid().hex(),
        grant.certDigest().hex(),
        grant.verdict().name().toLowerCase(Locale.ROOT),
        grant.subject().isEmpty() ? null : grant.subject());
  }

  private static Rotation rotation(AuditedPeople.Rotation rotation) {
    return new Rotation(rotation.jsn(), rotation.noteKid().hex(), rotation.receiptKid().hex());
  }
}
