package io.tallystick.audit;

import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.audit.finding.HeldHeads;
import io.tallystick.audit.options.OtherHead;
import io.tallystick.evidence.Anchor;
import io.tallystick.head.HeadAge;
import io.tallystick.head.SignedHead;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The result of an audit.
///
/// @param size of the log as far as it was replayed; without a fault, all of it
/// @param root recomputed, of the tree of `size`
/// @param faults ascending by jsn, at most 1,000; empty if the log is right
/// @param faultCount of all found, kept or not
/// @param checkpointVerified whether the source had a checkpoint of this size
/// @param receiptVerified whether it had a head receipt of it: demanded of all sources but public
///   files, of which the checkpoint is demanded
/// @param resumedFrom how many leaves an earlier run had audited, by this auditor's statement; 0 if
///   this one began at the first
/// @param anchor below whose size signatures and bodies of ordinary journals are its signer's word
/// @param bodiesChecked whether salts and bodies were looked at
/// @param time what is proven of when journals were committed
/// @param people the members and the service's keys at the end
/// @param heads of other ledgers; only if it was audited as a T-Ledger
/// @param gossip what the heads of others say
/// @param heard the heads that `gossip` judges, in its order
/// @param signed the log's own head, if it was verified
/// @param age of that head, when the audit ended
/// @param certificates that grants name, as far as this run read them
/// @param removals what is gone, and who signed for it
public record AuditReport(
    StrandId strand,
    TreeSize size,
    JournalRoot root,
    AuditCounts counts,
    List<AuditFault> faults,
    long faultCount,
    boolean checkpointVerified,
    boolean receiptVerified,
    long resumedFrom,
    Optional<Anchor.Signed> anchor,
    boolean bodiesChecked,
    AnchoredTime time,
    AuditedPeople people,
    Optional<HeldHeads> heads,
    AuditGossip gossip,
    List<OtherHead> heard,
    Optional<SignedHead> signed,
    Optional<HeadAge> age,
    AuditedCertificates certificates,
    AuditedRemovals removals,
    Duration elapsed) {
  public AuditReport {
    faults = List.copyOf(faults);
    heard = List.copyOf(heard);
  }

  /// Empty if nothing is wrong.
  public Optional<AuditFault> firstFault() {
    return faults.stream().findFirst();
  }
}
