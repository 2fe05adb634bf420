package io.tallystick.audit.report;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.model.Printable;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// An audit report as a person reads it.
public final class AuditText {
  private static final int FAULTS_SHOWN_MAX = 20;
  private static final int LABEL_WIDTH = 9;

  private final StringBuilder text = new StringBuilder();
  private final AuditReport report;

  private AuditText(AuditReport report) {
    this.report = report;
  }

  public static String of(AuditReport report) {
    AuditText text = new AuditText(report);
    Optional<AuditFault> first = report.firstFault();
    if (first.isPresent()) {
      text.failed(first.get());
    } else {
      text.passed();
    }
    text.counts();
    return text.text.toString();
  }

  private void passed() {
    text.append(
        report
            .anchor()
            .map(signed ->
                String.format(
                    Locale.ROOT,
                    "AUDIT PASSED from size %s on: every leaf, root and block of this log is right, and every signature from there on.\n",
                    signed.anchor().size()))
            .orElse(
                report
                    .removals()
                    .prefix()
                    .map(prefix ->
                        String.format(
                            Locale.ROOT,
                            "AUDIT PASSED from jsn %d on: every leaf, root, block and signature of what is left of this log is right.\n",
                            prefix.firstKept()))
                    .orElse(
                        "AUDIT PASSED: every leaf, root, block and signature of this log is"
                            + " right.\n")));
    ledger();
    line("size", report.size());
    line("root", report.root());
    String receipt = report.checkpointVerified() ? "checkpoint and receipt" : "receipt";
    line(
        "head", "signed by the service, as " + (report.receiptVerified() ? receipt : "checkpoint"));
    report.age().ifPresent(age -> line("sealed", age.text()));
  }

  private void failed(AuditFault first) {
    text.append("AUDIT FAILED at jsn ").append(first.jsn()).append(": ");
    text.append(first.kind().plainWords()).append(".\n");
    ledger();
    line("why", first.kind() + ": " + first.detail());
    line("replayed", count(report.size().value(), "leaf", "leaves") + ", root " + report.root());
    if (report.faultCount() > 1) {
      allFaults();
    }
  }

  private void allFaults() {
    List<AuditFault> shown = report.faults().stream().limit(FAULTS_SHOWN_MAX).toList();
    line("faults", report.faultCount());
    shown.forEach(fault -> line("", fault));
    if (report.faultCount() > shown.size()) {
      line("", "and " + (report.faultCount() - shown.size()) + " more");
    }
  }

  private void ledger() {
    line("ledger", report.strand().ledger() + " strand " + report.strand().strand());
  }

  private void counts() {
    AuditCounts counts = report.counts();
    line(
        "checked",
        count(counts.leaves(), "leaf", "leaves")
            + " in "
            + count(counts.blocks(), "block", "blocks"));
    line(
        "",
        count(counts.journals(), "journal", "journals")
            + ", in "
            + count(counts.batches(), "batch", "batches")
            + " and alone; "
            + counts.memberChanges()
            + " changed the members");
    line(
        "",
        count(counts.signatures(), "client signature", "client signatures")
            + ", "
            + count(counts.bodies(), "body", "bodies")
            + ", "
            + count(counts.bytes(), "byte", "bytes"));
    if (counts.clueEntries() > 0) {
      line(
          "",
          count(counts.clues(), "clue", "clues")
              + " with "
              + count(counts.clueEntries(), "entry", "entries")
              + ", "
              + counts.clueDeletions()
              + " of them deletions");
    }
    if (counts.operations() > 0) {
      line("", count(counts.operations(), "operation", "operations") + " on the state");
    }
    TrustText.time(report.time()).forEach(text -> line(text.label(), text.words()));
    report.heads().ifPresent(heads -> line("heads", TrustText.heads(heads)));
    TrustText.people(report.people()).forEach(text -> line(text.label(), text.words()));
    GossipText.lines(report.gossip()).forEach(text -> line(text.label(), text.words()));
    TrustText.certificates(report.certificates()).forEach(text -> line(text.label(), text.words()));
    RemovalText.lines(report.removals()).forEach(text -> line(text.label(), text.words()));
    notChecked();
    if (counts.bodiesErased() + counts.bodiesDamaged() > 0) {
      line("bodies", counts.bodiesErased() + " erased, " + counts.bodiesDamaged() + " damaged");
    }
    line(
        "took",
        report.elapsed().toMillis()
            + " ms, "
            + Math.round(AuditSummary.of(report).leavesPerSecond())
            + " leaves a second");
  }

  private void notChecked() {
    if (!report.bodiesChecked()) {
      line("bodies", "NOT CHECKED: this says that they were appended, not what they are");
    }
    report
        .anchor()
        .ifPresent(signed ->
            line(
                "vouched",
                String.format(
                    Locale.ROOT,
                    "NOT CHECKED below size %s: signatures and bodies of ordinary journals; %s vouches for them",
                    signed.anchor().size(),
                    signed.kid())));
    if (report.resumedFrom() > 0) {
      line(
          "resumed",
          "behind "
              + report.resumedFrom()
              + " leaves, by this auditor's signed statement; those were not read again");
    }
  }

  static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  private void line(String label, Object value) {
    String words = Printable.of(String.valueOf(value));
    text.append(label).repeat(' ', LABEL_WIDTH - label.length()).append(words).append('\n');
  }
}
