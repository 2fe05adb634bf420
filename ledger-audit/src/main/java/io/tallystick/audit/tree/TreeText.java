package io.tallystick.audit.tree;

import io.tallystick.audit.finding.AuditFault;
import io.tallystick.model.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A report on a log's tree as a person reads it.
final class TreeText {
  private static final int FAULTS_SHOWN_MAX = 20;
  private static final int LABEL_WIDTH = 9;

  private final StringBuilder text = new StringBuilder();

  private TreeText() {}

  static String of(TreeReport report) {
    TreeText text = new TreeText();
    text.verdict(report);
    text.line("origin", report.key().name());
    report
        .head()
        .ifPresent(head -> {
          text.line("size", head.size());
          text.line("signed", head.root() + ", by " + report.key().vkey());
        });
    text.line("root", report.root() + " over the " + report.entries() + " entries read");
    text.line(
        "earlier",
        report
            .earlier()
            .map(head -> "compared with the head of " + head.size() + " entries")
            .orElse("NO earlier head to compare with: history may have been rewritten before"));
    text.line(
        "checked",
        String.format(
            Locale.ROOT,
            "%d entries of %d bytes, %d hash tiles on %d levels",
            report.entries(),
            report.entryBytes(),
            report.tiles(),
            report.levels()));
    notChecked(report).forEach(what -> text.line("", "NOT CHECKED: " + what));
    text.line("took", report.elapsed().toMillis() + " ms");
    return text.text.toString();
  }

  /// The points that an audit of the tree does not check, one a line.
  static List<String> notChecked(TreeReport report) {
    List<String> what = new ArrayList<>();
    what.add(
        "what the entries say and who made them; the audit of a ledger does, without --log-key");
    report
        .head()
        .ifPresent(head -> {
          if (head.extensions() > 0) {
            what.add("lines behind the root in the checkpoint: " + head.extensions());
          }
          if (head.others() > 0) {
            what.add("signatures of others under the checkpoint: " + head.others());
          }
        });
    return what;
  }

  private void verdict(TreeReport report) {
    if (report.faults().isEmpty()) {
      text.append("TREE AUDIT PASSED: entries, hash tiles and signed head agree.\n");
      return;
    }
    AuditFault first = report.faults().getFirst();
    text.append("TREE AUDIT FAILED");
    if (first.jsn() >= 0) {
      text.append(" at entry ").append(first.jsn());
    }
    text.append(": ").append(first.kind().plainWords()).append(".\n");
    report.faults().stream()
        .limit(FAULTS_SHOWN_MAX)
        .forEach(fault -> line("why", fault.kind() + ": " + fault.detail()));
    if (report.faults().size() > FAULTS_SHOWN_MAX) {
      String least = report.faults().size() < TreeRun.FAULTS_MAX ? "and " : "and at least ";
      line("", least + (report.faults().size() - FAULTS_SHOWN_MAX) + " more");
    }
  }

  private void line(String label, Object value) {
    String words = Printable.of(String.valueOf(value));
    text.append(label).repeat(' ', LABEL_WIDTH - label.length()).append(words).append('\n');
  }
}
