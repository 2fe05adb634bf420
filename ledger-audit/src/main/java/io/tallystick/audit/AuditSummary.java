package io.tallystick.audit;

import java.util.List;

/// An audit report in numbers and strings only, as `--json` shows it. Hashes are lower-case hex.
///
/// @param result `passed` or `failed`
/// @param firstFaultyJsn −1 if there is none
/// @param resumedFrom leaves audited by earlier runs; 0 if this one began at the first
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
    boolean bodiesChecked,
    AnchoredTime time,
    long elapsedMs,
    double leavesPerSecond) {
  private static final double MILLIS_PER_SECOND = 1000.0;

  /// @param kind a stable name
  public record Fault(long jsn, String kind, String plainWords, String detail) {}

  static AuditSummary of(AuditReport report) {
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
        report.bodiesChecked(),
        report.time(),
        elapsedMs,
        Math.max(0, report.counts().leaves() - report.resumedFrom())
            * MILLIS_PER_SECOND
            / elapsedMs);
  }

  private static Fault fault(AuditFault fault) {
    return new Fault(fault.jsn(), fault.kind().name(), fault.kind().plainWords(), fault.detail());
  }
}
