package io.tallystick.audit.report;

import static io.tallystick.audit.report.AuditText.count;

import io.tallystick.audit.finding.AuditedRemovals;
import io.tallystick.model.Digest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The findings of an audit on removals, in words.
final class RemovalText {
  private static final int SHOWN_MAX = 20;
  private static final int RANGES_SHOWN_MAX = 10;

  private RemovalText() {}

  static List<TrustText.Line> lines(AuditedRemovals removals) {
    List<TrustText.Line> lines = new ArrayList<>();
    if (removals.count() > 0) {
      lines.add(new TrustText.Line("removed", total(removals)));
      removals.occults().stream()
          .limit(SHOWN_MAX)
          .forEach(occult ->
              lines.add(
                  new TrustText.Line(
                      "", String.format(Locale.ROOT, "at %d %s", occult.jsn(), words(occult)))));
      if (removals.count() > SHOWN_MAX) {
        lines.add(new TrustText.Line("", "and " + (removals.count() - SHOWN_MAX) + " more"));
      }
    }
    if (!removals.purges().isEmpty()) {
      lines.add(new TrustText.Line("purged", count(removals.purges().size(), "purge", "purges")));
      removals.purges().stream()
          .limit(SHOWN_MAX)
          .forEach(purge ->
              lines.add(
                  new TrustText.Line(
                      "", String.format(Locale.ROOT, "at %d %s", purge.jsn(), words(purge)))));
    }
    if (removals.byClock() > 0) {
      lines.add(
          new TrustText.Line(
              "assumed",
              String.format(
                  Locale.ROOT,
                  "ASSUMED: of %s a regulator's 30 days are by the service's clock; no time journal shows them",
                  count(removals.byClock(), "removal", "removals"))));
    }
    removals.prefix().ifPresent(prefix -> lines.addAll(gone(prefix)));
    if (removals.waiting() > 0) {
      String waiting = count(removals.waiting(), "erased body", "erased bodies");
      lines.add(
          new TrustText.Line("waiting", waiting + " that no occult named before the audit ended"));
    }
    return lines;
  }

  private static List<TrustText.Line> gone(AuditedRemovals.Prefix prefix) {
    return List.of(
        new TrustText.Line(
            "unknown",
            String.format(
                Locale.ROOT,
                "NOT CHECKED: all below %d, which purge %d removed; the journals of governance there were",
                prefix.firstKept(),
                prefix.purgeJsn())));
  }

  /// How many journals by how many occults.
  static String total(AuditedRemovals removals) {
    String all =
        String.format(
            Locale.ROOT,
            "%s of %s",
            count(removals.count(), "occult", "occults"),
            count(removals.journals(), "journal", "journals"));
    return removals.present() == 0
        ? all
        : all
            + String.format(
                Locale.ROOT,
                "; %s still there when it was read",
                count(removals.present(), "body was", "bodies were"));
  }

  /// An occult in one line, without its jsn.
  static String words(AuditedRemovals.Occult occult) {
    String basis = occult.basis().isEmpty() ? "" : ": " + occult.basis();
    return String.format(
        Locale.ROOT, "by %s, of %s%s", signers(occult.signers()), journals(occult), basis);
  }

  /// A purge in one line, without its jsn.
  static String words(AuditedRemovals.Purge purge) {
    return String.format(
        Locale.ROOT,
        "by %s, of all below %d%s%s%s",
        signers(purge.signers()),
        purge.firstKept(),
        absent(purge),
        recalled(purge),
        purge.compared() ? "" : "; its snapshot was not compared");
  }

  static String absent(AuditedRemovals.Purge purge) {
    return purge.absent().isEmpty()
        ? ""
        : "; absent: "
            + purge.absent().stream().map(Digest::toString).collect(Collectors.joining(", "));
  }

  static String recalled(AuditedRemovals.Purge purge) {
    return purge.recalledJsn() < 0 ? "" : "; recalled at " + purge.recalledJsn();
  }

  static String signers(List<AuditedRemovals.Signer> signers) {
    return signers.stream()
        .map(signer ->
            signer.role().name().toLowerCase(Locale.ROOT).replace('_', '-') + " " + signer.kid())
        .collect(Collectors.joining(", "));
  }

  /// Which journals, by number.
  static String journals(AuditedRemovals.Occult occult) {
    String ranges =
        occult.gone().stream()
            .limit(RANGES_SHOWN_MAX)
            .map(range ->
                range.first() == range.last()
                    ? Long.toString(range.first())
                    : range.first() + " to " + range.last())
            .collect(Collectors.joining(", "));
    String more = occult.gone().size() > RANGES_SHOWN_MAX ? " and more" : "";
    String clue = occult.clue().map(id -> " of clue " + id).orElse("");
    return count(occult.journals(), "journal", "journals") + clue + " (" + ranges + more + ")";
  }
}
