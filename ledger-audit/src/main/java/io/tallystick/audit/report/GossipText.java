package io.tallystick.audit.report;

import io.tallystick.audit.finding.AuditGossip;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The findings of an audit on the heads of others, in words.
final class GossipText {
  private static final int SHOWN_MAX = 20;

  private GossipText() {}

  static List<TrustText.Line> lines(AuditGossip gossip) {
    List<TrustText.Line> lines = new ArrayList<>();
    gossip.quorum().ifPresent(quorum -> lines.add(new TrustText.Line("witness", words(quorum))));
    gossip.heads().stream()
        .limit(SHOWN_MAX)
        .forEach(head ->
            lines.add(
                new TrustText.Line(
                    "heard", head.name() + ", size " + head.size() + ": " + words(head))));
    if (gossip.heads().size() > SHOWN_MAX) {
      lines.add(new TrustText.Line("", "and " + (gossip.heads().size() - SHOWN_MAX) + " more"));
    }
    return lines;
  }

  static String words(AuditGossip.Quorum quorum) {
    if (!quorum.reached()) {
      return "TOO FEW: " + quorum.words();
    }
    return String.format(
        Locale.ROOT,
        "%s cosigned the head of size %d, wanted were %d",
        names(quorum.cosigners()),
        quorum.size(),
        quorum.wanted());
  }

  static String words(AuditGossip.Head head) {
    String outcome =
        switch (head.outcome()) {
          case CONTAINED -> "the log contains it";
          case LARGER, NOT_JUDGED -> "NOT JUDGED";
          case CONTRADICTED -> "CONTRADICTED";
          case INVALID -> "INVALID";
        };
    StringBuilder words = new StringBuilder(outcome);
    if (!head.detail().isEmpty()) {
      words.append(": ").append(head.detail());
    }
    if (!head.signed()) {
      words.append("; another auditor's word, without the service's signature");
    }
    if (!head.cosigners().isEmpty()) {
      words.append("; cosigned by ").append(names(head.cosigners()));
    }
    return words.toString();
  }

  private static String names(List<AuditGossip.Cosigner> cosigners) {
    return cosigners.stream()
        .map(each ->
            String.format(Locale.ROOT, "%s at %s", each.witness(), TrustText.at(each.timeMs())))
        .collect(Collectors.joining(", "));
  }
}
