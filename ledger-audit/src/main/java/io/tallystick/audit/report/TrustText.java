package io.tallystick.audit.report;

import static io.tallystick.audit.report.AuditText.count;

import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.AuditedCertificates;
import io.tallystick.audit.finding.AuditedPeople;
import io.tallystick.audit.finding.HeldHeads;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The findings of an audit on time and people, in words.
final class TrustText {
  private static final int SHOWN_MAX = 20;

  private TrustText() {}

  /// @param label empty: it goes on with what the line before is about
  record Line(String label, String words) {}

  static List<Line> time(AnchoredTime time) {
    List<Line> lines = new ArrayList<>();
    if (time.unjudged() > 0) {
      String why =
          time.authorities() ? "they are anchored in another ledger" : "no authority was given";
      why = time.authorities() || time.tLedgers().isEmpty() ? why : "they hold tokens, and " + why;
      lines.add(
          new Line(
              "time",
              String.format(
                  Locale.ROOT,
                  "%s NOT JUDGED: %s",
                  count(time.unjudged(), "time journal", "time journals"),
                  why)));
    }
    for (AnchoredTime.TLedger each : time.tLedgers()) {
      String known =
          each.size() < 0
              ? "known by its keys alone, which bound no time"
              : "audited up to size " + each.size();
      lines.add(new Line("t-ledger", each.ledgerId() + ", " + known));
    }
    if (!time.anchored()) {
      lines.add(
          new Line("time", "NOT ANCHORED: no verified token says when anything was committed"));
      return lines;
    }
    lines.add(
        new Line(
            "time",
            String.format(
                Locale.ROOT,
                "%s of trusted authorities%s, from %s to %s",
                count(time.judged(), "token", "tokens"),
                time.tLedgers().isEmpty() ? "" : " and T-Ledgers",
                at(time.earliestMs()),
                at(time.latestMs()))));
    windows(time, lines);
    return lines;
  }

  private static void windows(AnchoredTime time, List<Line> lines) {
    if (time.journals() > 0) {
      lines.add(
          new Line(
              "windows",
              String.format(
                  Locale.ROOT,
                  "%s within %d ms of a time, the median %d ms",
                  count(time.journals(), "journal", "journals"),
                  time.largestMs(),
                  time.medianMs())));
    }
    if (time.unbounded() > 0) {
      lines.add(
          new Line("", count(time.unbounded(), "journal", "journals") + " with no token before"));
    }
    if (time.tailJournals() > 0) {
      String over = time.tailMs() < 0 ? "" : ", over " + time.tailMs() + " ms";
      lines.add(
          new Line(
              "",
              count(time.tailJournals(), "journal", "journals")
                  + " at the end not covered by a token"
                  + over));
    }
  }

  static String heads(HeldHeads heads) {
    String judged =
        String.format(
            Locale.ROOT,
            "%s of %s, each signed and a continuation, %s",
            count(heads.judged(), "head", "heads"),
            count(heads.ledgers(), "ledger", "ledgers"),
            late(heads));
    return heads.unjudged() == 0
        ? judged
        : judged
            + String.format(
                Locale.ROOT,
                "; %d of %s NOT JUDGED: no keys were given",
                heads.unjudged(),
                count(heads.unknownLedgers(), "other ledger", "other ledgers"));
  }

  private static String late(HeldHeads heads) {
    return heads.late() == 0
        ? "sealed at most 1 s before its entry"
        : String.format(
            Locale.ROOT,
            "%d sealed more than 1 s before its entry, at most %d ms",
            heads.late(),
            heads.lagMs());
  }

  /// In UTC.
  static String at(long timeMs) {
    return timeMs < 0 ? "an unknown time" : Instant.ofEpochMilli(timeMs).toString();
  }

  static List<Line> people(AuditedPeople people) {
    List<Line> lines = new ArrayList<>();
    if (!people.members().isEmpty()) {
      lines.add(
          new Line(
              "members",
              String.format(
                  Locale.ROOT,
                  "%d, %d of them valid at the end",
                  people.members().size(),
                  people.valid())));
      people.members().stream()
          .limit(SHOWN_MAX)
          .forEach(each -> lines.add(new Line("", each.kid() + " " + words(each))));
      more(people.members().size(), lines);
    }
    if (!people.rotations().isEmpty()) {
      lines.add(new Line("keys", "rotated " + count(people.rotations().size(), "time", "times")));
      people.rotations().stream()
          .limit(SHOWN_MAX)
          .forEach(each ->
              lines.add(
                  new Line(
                      "",
                      String.format(
                          Locale.ROOT,
                          "at %d to note key %s, receipt key %s",
                          each.jsn(),
                          each.noteKid(),
                          each.receiptKid()))));
      more(people.rotations().size(), lines);
    }
    if (people.closedJsn() >= 0) {
      lines.add(new Line("closed", "by the owners, at " + people.closedJsn()));
    }
    return lines;
  }

  static List<Line> certificates(AuditedCertificates found) {
    List<Line> lines = new ArrayList<>();
    if (found.unjudged() > 0) {
      lines.add(
          new Line(
              "names",
              String.format(
                  Locale.ROOT,
                  "%s with certificates, NOT JUDGED: no authority was given",
                  count(found.unjudged(), "grant", "grants"))));
    } else if (found.count() > 0) {
      lines.add(
          new Line(
              "names",
              String.format(
                  Locale.ROOT,
                  "%s with certificates: %d good, %d wrong, %d erased or not served",
                  count(found.count(), "grant", "grants"),
                  found.good(),
                  found.wrong(),
                  found.missing())));
      found.grants().stream()
          .limit(SHOWN_MAX)
          .forEach(each ->
              lines.add(
                  new Line("", String.format(Locale.ROOT, "%s %s", each.kid(), words(each)))));
      more(found.grants().size(), lines);
    }
    return lines;
  }

  /// The finding on a grant's certificates, without the key, in words.
  static String words(AuditedCertificates.Certified grant) {
    return switch (grant.verdict()) {
      case GOOD -> String.format(Locale.ROOT, "at %d: %s", grant.jsn(), grant.subject());
      case WRONG -> String.format(Locale.ROOT, "at %d: wrong", grant.jsn());
      case MISSING -> String.format(Locale.ROOT, "at %d: erased or not served", grant.jsn());
      case UNJUDGED -> String.format(Locale.ROOT, "at %d: not judged", grant.jsn());
    };
  }

  /// A member in one line, without its kid.
  static String words(AuditedPeople.Member member) {
    List<String> words = new ArrayList<>();
    words.add(member.role().name().toLowerCase(Locale.ROOT));
    if (member.sinceJsn() >= 0) {
      words.add("since " + member.sinceJsn());
    }
    if (member.delegated()) {
      words.add("delegated");
    }
    if (member.notAfterMs() >= 0) {
      String verb = member.standing() == AuditedPeople.Standing.EXPIRED ? "expired " : "until ";
      words.add(verb + Instant.ofEpochMilli(member.notAfterMs()));
    }
    if (member.revokedJsn() >= 0) {
      words.add(
          member
              .replacedBy()
              .map(
                  by -> String.format(Locale.ROOT, "replaced at %d by %s", member.revokedJsn(), by))
              .orElse("revoked at " + member.revokedJsn()));
    }
    return String.join(", ", words);
  }

  private static void more(int all, List<Line> lines) {
    if (all > SHOWN_MAX) {
      lines.add(new Line("", "and " + (all - SHOWN_MAX) + " more"));
    }
  }
}
