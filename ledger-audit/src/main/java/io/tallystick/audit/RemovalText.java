package io.tallystick.audit;

import static io.tallystick.audit.AuditText.count;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// What an audit says of removals, in words.
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
              lines.add(new TrustText.Line("", "at %d %s".formatted(occult.jsn(), words(occult)))));
      if (removals.count() > SHOWN_MAX) {
        lines.add(new TrustText.Line("", "and " + (removals.count() - SHOWN_MAX) + " more"));
      }
    }
    if (removals.waiting() > 0) {
      String waiting = count(removals.waiting(), "erased body", "erased bodies");
      lines.add(
          new TrustText.Line("waiting", waiting + " that no occult named before the audit ended"));
    }
    return lines;
  }

  /// How many journals by how many occults.
  static String total(AuditedRemovals removals) {
    String all =
        "%s of %s"
            .formatted(
                count(removals.count(), "occult", "occults"),
                count(removals.journals(), "journal", "journals"));
    return removals.present() == 0
        ? all
        : all
            + "; %s still there when it was read"
                .formatted(count(removals.present(), "body was", "bodies were"));
  }

  /// An occult in one line, without its jsn.
  static String words(AuditedRemovals.Occult occult) {
    String basis = occult.basis().isEmpty() ? "" : ": " + occult.basis();
    return "by %s, of %s%s".formatted(signers(occult), journals(occult), basis);
  }

  static String signers(AuditedRemovals.Occult occult) {
    return occult.signers().stream()
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
