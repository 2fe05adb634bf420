package io.tallystick.audit.tree;

import io.tallystick.audit.finding.AuditFault;
import java.util.List;

/// A report on a log's tree in numbers and strings only, as `--json` shows it. Hashes are
/// lower-case hex.
///
/// @param result `passed` or `failed`
/// @param size as the checkpoint signs it; −1 if there is no checkpoint by this key
/// @param entries that were read
/// @param root recomputed over them
/// @param earlierSize of the head verified before; −1 if there was none
/// @param firstFaultyEntry −1 if there is none, or if no entry is to blame
/// @param notChecked in words, what this says nothing about
public record TreeSummary(
    String result,
    String origin,
    String key,
    long size,
    long entries,
    String root,
    long entryBytes,
    long tiles,
    int levels,
    long earlierSize,
    long firstFaultyEntry,
    List<Fault> faults,
    List<String> notChecked,
    long elapsedMs) {

  /// @param entry −1 if it is none
  /// @param kind a stable name
  public record Fault(long entry, String kind, String plainWords, String detail) {}

  static TreeSummary of(TreeReport report) {
    return new TreeSummary(
        report.firstFault().isPresent() ? "failed" : "passed",
        report.key().name(),
        report.key().vkey(),
        report.head().map(head -> head.size().value()).orElse(-1L),
        report.entries(),
        report.root().digest().hex(),
        report.entryBytes(),
        report.tiles(),
        report.levels(),
        report.earlier().map(head -> head.size().value()).orElse(-1L),
        report.firstFault().map(AuditFault::jsn).orElse(-1L),
        report.faults().stream().map(TreeSummary::fault).toList(),
        TreeText.notChecked(report),
        report.elapsed().toMillis());
  }

  private static Fault fault(AuditFault fault) {
    return new Fault(fault.jsn(), fault.kind().name(), fault.kind().plainWords(), fault.detail());
  }
}
