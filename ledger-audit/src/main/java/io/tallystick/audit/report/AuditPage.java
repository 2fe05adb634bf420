package io.tallystick.audit.report;

import io.tallystick.audit.AuditReport;
import io.tallystick.audit.finding.AuditCounts;
import io.tallystick.audit.finding.AuditFault;
import io.tallystick.audit.finding.AuditGossip;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// An audit report as one HTML page that needs nothing else: no scripts, no other files. All that
/// the log or its keeper wrote is escaped.
public final class AuditPage {
  private static final int ROWS_MAX = 1_000;

  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'">
      <title>TITLE</title>
      <style>
      body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
      table { border-collapse: collapse; width: 100% }
      th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0 }
      th { font-weight: 600; white-space: nowrap }
      thead th { border-bottom: 1px solid #888 }
      td, h1 { overflow-wrap: anywhere }
      .passed { color: #05620a } .failed { color: #a40000 }
      </style>
      </head>
      <body>
      """;

  private final StringBuilder page = new StringBuilder();
  private final AuditReport report;

  private AuditPage(AuditReport report) {
    this.report = report;
  }

  public static String of(AuditReport report) {
    AuditPage page = new AuditPage(report);
    page.verdict();
    page.log();
    page.time();
    page.heads();
    page.findings();
    page.members();
    page.certificates();
    page.removals();
    page.rotations();
    page.gossip();
    page.page.append("</body>\n</html>\n");
    return page.page.toString();
  }

  private void verdict() {
    boolean passed = report.firstFault().isEmpty();
    String word = passed ? "Passed" : "Failed";
    String title = word + ": audit of ledger " + report.strand().ledger().hex();
    page.append(HEAD.replace("TITLE", title));
    page.append("<h1 class=\"").append(word.toLowerCase(Locale.ROOT)).append("\">");
    page.append(
        escape(
            report
                .firstFault()
                .map(fault ->
                    "Failed at jsn " + fault.jsn() + ": " + fault.kind().plainWords() + ".")
                .orElse("Passed: every leaf, root, block and signature of this log is right.")));
    page.append("</h1>\n");
    if (!report.bodiesChecked()) {
      page.append("<p>Bodies were not checked.</p>\n");
    }
  }

  private void log() {
    AuditCounts counts = report.counts();
    section("Log");
    begin();
    row("ledger", report.strand().ledger().hex() + ", strand " + report.strand().strand());
    row("size", report.size());
    row("root", report.root().digest().hex());
    row("head", "signed: " + signed());
    report.age().ifPresent(age -> row("sealed", age.text() + " when the audit ended"));
    if (report.resumedFrom() > 0) {
      row("resumed", "behind " + report.resumedFrom() + " leaves audited before");
    }
    report
        .anchor()
        .ifPresent(signed ->
            row(
                "vouched",
                String.format(
                    Locale.ROOT,
                    "signatures and bodies of ordinary journals below size %s were not checked; %s vouches for them",
                    signed.anchor().size(),
                    signed.kid().hex())));
    row("blocks", counts.blocks());
    row("journals", counts.journals());
    row("client signatures", counts.signatures());
    row("bodies", counts.bodies());
    row("clues", counts.clues());
    row("operations", counts.operations());
    end();
  }

  private String signed() {
    if (report.checkpointVerified()) {
      return report.receiptVerified() ? "checkpoint and receipt" : "checkpoint";
    }
    return report.receiptVerified() ? "receipt" : "none verified";
  }

  private void time() {
    section("Time");
    begin();
    TrustText.time(report.time()).forEach(line -> row(line.label(), line.words()));
    end();
  }

  private void heads() {
    if (report.heads().isEmpty()) {
      return;
    }
    section("Heads of other ledgers");
    begin();
    row("heads", TrustText.heads(report.heads().get()));
    end();
  }

  private void findings() {
    section("Findings");
    if (report.faults().isEmpty()) {
      page.append("<p>None.</p>\n");
      return;
    }
    begin("jsn", "kind", "what", "detail");
    for (AuditFault fault : report.faults()) {
      cells(
          List.of(
              Long.toString(fault.jsn()),
              fault.kind().name(),
              fault.kind().plainWords(),
              fault.detail()));
    }
    end();
    more(report.faultCount(), report.faults().size());
  }

  private void members() {
    AuditedPeople people = report.people();
    section("Members");
    begin("key", "at the end", "role, history");
    people.members().stream()
        .limit(ROWS_MAX)
        .forEach(member ->
            cells(
                List.of(
                    member.kid().hex(),
                    member.standing().name().toLowerCase(Locale.ROOT),
                    TrustText.words(member))));
    end();
    more(people.members().size(), ROWS_MAX);
    if (people.closedJsn() >= 0) {
      page.append("<p>Closed by the owners, at ").append(people.closedJsn()).append(".</p>\n");
    }
  }

  private void certificates() {
    AuditedCertificates found = report.certificates();
    if (found.count() == 0) {
      return;
    }
    section("Certificates");
    page.append("<p>Of the grants that name certificates ");
    page.append(found.good()).append(" are good, ").append(found.wrong()).append(" wrong, ");
    page.append(found.missing()).append(" erased or not served, ");
    page.append(found.unjudged()).append(" not judged.</p>\n");
    begin("key", "certificates", "found");
    found.grants().stream()
        .limit(ROWS_MAX)
        .forEach(each ->
            cells(List.of(each.kid().hex(), each.certDigest().hex(), TrustText.words(each))));
    end();
    more(found.count(), found.grants().size());
  }

  private void removals() {
    AuditedRemovals removals = report.removals();
    if (!removals.purges().isEmpty()) {
      purges(removals.purges());
    }
    if (removals.count() == 0) {
      return;
    }
    section("Removals");
    page.append("<p>").append(escape(RemovalText.total(removals))).append(".</p>\n");
    begin("occult", "time", "signed by", "journals", "basis");
    removals
        .occults()
        .forEach(occult ->
            cells(
                List.of(
                    Long.toString(occult.jsn()),
                    TrustText.at(occult.timeMs()),
                    RemovalText.signers(occult.signers()),
                    RemovalText.journals(occult),
                    occult.basis())));
    end();
    more(removals.count(), removals.occults().size());
    paragraphs("ASSUMED");
  }

  /// The lines of removals that begin so.
  private void paragraphs(String start) {
    RemovalText.lines(report.removals()).stream()
        .filter(line -> line.words().startsWith(start))
        .forEach(line -> page.append("<p>").append(escape(line.words())).append(".</p>\n"));
  }

  private void purges(List<AuditedRemovals.Purge> purges) {
    section("Purges");
    paragraphs("NOT CHECKED");
    begin("purge", "time", "signed by", "all below", "absent", "recalled at", "snapshot");
    purges.stream()
        .limit(ROWS_MAX)
        .forEach(purge ->
            cells(
                List.of(
                    Long.toString(purge.jsn()),
                    TrustText.at(purge.timeMs()),
                    RemovalText.signers(purge.signers()),
                    Long.toString(purge.firstKept()),
                    purge.absent().stream().map(Digest::hex).collect(Collectors.joining(", ")),
                    purge.recalledJsn() < 0 ? "" : Long.toString(purge.recalledJsn()),
                    purge.compared() ? "compared" : "not compared")));
    end();
    more(purges.size(), Math.min(ROWS_MAX, purges.size()));
  }

  private void rotations() {
    List<AuditedPeople.Rotation> rotations = report.people().rotations();
    section("Service keys");
    if (rotations.isEmpty()) {
      page.append("<p>Those of genesis, never rotated.</p>\n");
      return;
    }
    begin("rotation at", "note key", "receipt key");
    rotations.stream()
        .limit(ROWS_MAX)
        .forEach(each ->
            cells(
                List.of(Long.toString(each.jsn()), each.noteKid().hex(), each.receiptKid().hex())));
    end();
    more(rotations.size(), ROWS_MAX);
  }

  private void gossip() {
    AuditGossip gossip = report.gossip();
    if (gossip.heads().isEmpty() && gossip.quorum().isEmpty()) {
      return;
    }
    section("Heads of others");
    if (gossip.quorum().isPresent()) {
      begin();
      row("witnesses", GossipText.words(gossip.quorum().get()));
      end();
    }
    begin("from", "size", "root", "judgement");
    gossip
        .heads()
        .forEach(head ->
            cells(
                List.of(
                    head.name(), Long.toString(head.size()), head.root(), GossipText.words(head))));
    end();
  }

  private void more(long all, long shown) {
    if (all > shown) {
      page.append("<p>And ").append(all - shown).append(" more.</p>\n");
    }
  }

  private void section(String title) {
    page.append("<h2>").append(title).append("</h2>\n");
  }

  private void begin(String... titles) {
    page.append("<table>\n");
    if (titles.length > 0) {
      page.append("<thead><tr>");
      for (String title : titles) {
        page.append("<th>").append(title).append("</th>");
      }
      page.append("</tr></thead>\n");
    }
  }

  private void end() {
    page.append("</table>\n");
  }

  private void row(String label, Object value) {
    page.append("<tr><th>").append(label).append("</th><td>");
    page.append(escape(value.toString())).append("</td></tr>\n");
  }

  private void cells(List<String> cells) {
    page.append("<tr>");
    cells.forEach(cell -> page.append("<td>").append(escape(cell)).append("</td>"));
    page.append("</tr>\n");
  }

  private static String escape(String text) {
    return Printable.of(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
