package io.tallystick.cli.removal;

import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.text.ProposalText;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.removal.RemovalCertificate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/// A certificate that was verified, for JSON.
final class ErasureRow {
  private ErasureRow() {}

  static Map<String, Object> of(RemovalCertificate.Verified verified, OptionalLong provenMs) {
    Map<String, Object> row =
        Output.object(
            "verified", true,
            "ledgerId", verified.strand().ledger().hex(),
            "authority", verified.genesis().authority().value(),
            "removal", verified.removal().jsn().value(),
            "kind", verified.removal().header().kind().code(),
            "timeMs", verified.removal().timeMs(),
            "asks", ProposalText.words(verified.removal().header().extension()));
    if (verified.removal().header().extension() instanceof Extension.Occult occult) {
      row.put("basis", occult.basis());
    }
    row.put("signers", verified.signers().stream().map(ErasureRow::signer).toList());
    row.put("doneMs", verified.statement().doneMs());
    row.put("first", verified.statement().first().value());
    row.put("count", verified.statement().count());
    row.put("targets", verified.targets().stream().map(ErasureRow::target).toList());
    verified
        .time()
        .ifPresent(covering -> {
          Map<String, Object> time =
              Output.object(
                  "jsn", covering.journal().jsn().value(),
                  "timeMs", covering.journal().timeMs(),
                  "size", covering.content().size().value());
          provenMs.ifPresent(ms -> time.put("provenMs", ms));
          row.put("time", time);
        });
    List<Object> heads =
        verified.heads().stream()
            .<Object>map(head ->
                Output.object("size", head.size().value(), "root", head.root().digest().hex()))
            .distinct()
            .toList();
    row.put("heads", heads);
    return row;
  }

  private static Map<String, Object> signer(ShownMember signer) {
    return Output.object(
        "kid", signer.key().kid().hex(),
        "role", signer.role().name().toLowerCase(Locale.ROOT),
        "sinceJsn", signer.since().value(),
        "delegated", signer.delegated());
  }

  private static Map<String, Object> target(ShownJournal target) {
    return Output.object(
        "jsn", target.jsn().value(),
        "timeMs", target.timeMs(),
        "bodySizeBytes", target.header().bodySizeBytes(),
        "clueIds", target.header().clueIds().stream().map(Digest::hex).toList(),
        "operations", target.header().opsCount());
  }
}
