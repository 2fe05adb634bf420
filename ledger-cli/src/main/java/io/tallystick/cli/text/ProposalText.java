package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.Output;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalRef;
import io.tallystick.journal.Proposal;
import io.tallystick.journal.RequestHeader;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The request and the signers of a proposal, for people and for JSON. Whether the signatures are
/// good only the ledger's members can tell.
public final class ProposalText {
  private ProposalText() {}

  public static String lines(Proposal proposal) {
    RequestHeader header = proposal.request();
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "proposal %s%n", proposal.requestHash()));
    text.append(String.format(Locale.ROOT, "ledger   %s%n", header.strand().ledger()));
    text.append(String.format(Locale.ROOT, "asks to  %s%n", words(header.extension())));
    text.append(
        String.format(Locale.ROOT, "made     %s%n", Instant.ofEpochMilli(header.clientTimeMs())));
    text.append(
        String.format(Locale.ROOT, "expires  %s%n", Instant.ofEpochMilli(header.expiresMs())));
    List<Digest> signers = proposal.signers();
    if (signers.isEmpty()) {
      text.append("signed   by nobody yet");
    }
    for (int i = 0; i < signers.size(); i++) {
      text.append(i == 0 ? "" : System.lineSeparator()).append("signed   by ");
      text.append(signers.get(i));
    }
    return text.toString();
  }

  public static Map<String, Object> row(Proposal proposal) {
    RequestHeader header = proposal.request();
    return Output.object(
        "requestHash",
        proposal.requestHash().hex(),
        "ledgerId",
        header.strand().ledger().hex(),
        "kind",
        header.kind().code(),
        "asks",
        words(header.extension()),
        "clientTimeMs",
        header.clientTimeMs(),
        "expiresMs",
        header.expiresMs(),
        "signers",
        proposal.signers().stream().map(Digest::hex).toList());
  }

  /// The effect of a request on the ledger once it is submitted, in words after "to".
  public static String words(Extension asked) {
    return switch (asked) {
      case Extension.None() -> "change nothing";
      case Extension.MemberAdd add ->
          String.format(Locale.ROOT, "add key %s as %s", add.key().kid(), role(add.role()));
      case Extension.MemberRevoke revoke ->
          String.format(Locale.ROOT, "revoke key %s for ever", revoke.kid());
      case Extension.Parameters parameters ->
          String.format(
              Locale.ROOT,
              "enable %s from block %d on",
              parameters.features(),
              parameters.firstHeight());
      case Extension.KeyRotation rotation ->
          String.format(
              Locale.ROOT,
              "let the service sign heads with key %s and receipts with key %s from then on",
              rotation.noteKey().kid(),
              rotation.receiptKey().kid());
      case Extension.Time time ->
          String.format(Locale.ROOT, "state when the head of %s leaves existed", time.size());
      case Extension.Grant grant -> words(grant);
      case Extension.Occult(ErasureTarget target, String basis) ->
          String.format(
              Locale.ROOT,
              "erase %s for ever; basis: %s",
              words(target),
              basis.isEmpty() ? "none" : Printable.of(basis));
      case Extension.Purge purge ->
          String.format(
              Locale.ROOT,
              "remove all journals below %s, a recall within %s",
              purge.firstKept(),
              words(Duration.ofMillis(purge.recallMs())));
      case Extension.Recall(Jsn purge) -> "take the purge at " + purge + " back";
      case Extension.Close() -> "close the ledger for ever";
    };
  }

  private static String words(Duration time) {
    return time.toMillis() % Duration.ofDays(1).toMillis() == 0
        ? Count.of(time.toDays(), "day")
        : String.format(Locale.ROOT, "%,d ms", time.toMillis());
  }

  private static String words(ErasureTarget target) {
    return switch (target) {
      case ErasureTarget.Journals(List<JournalRef> named) ->
          "the bodies of journals "
              + named.stream()
                  .map(each -> String.valueOf(each.jsn()))
                  .collect(Collectors.joining(", "));
      case ErasureTarget.OfClue(Digest clueId, Jsn first, Jsn last) ->
          String.format(
              Locale.ROOT,
              "the bodies of all journals of clue %s from %s to %s",
              clueId,
              first,
              last);
    };
  }

  private static String words(Extension.Grant grant) {
    StringBuilder words = new StringBuilder();
    words.append(
        String.format(
            Locale.ROOT, "grant key %s the role %s", grant.key().kid(), role(grant.role())));
    if (grant.delegated()) {
      words.append(", as an agent's key");
    }
    grant
        .notAfterMs()
        .ifPresentOrElse(
            ms -> words.append(", until ").append(Instant.ofEpochMilli(ms)),
            () -> words.append(", without expiry"));
    grant.replaces().ifPresent(kid -> words.append(", and revoke key ").append(kid));
    grant.certDigest().ifPresent(digest -> words.append(", with certificates ").append(digest));
    return words.toString();
  }

  private static String role(Role role) {
    return role.name().toLowerCase(Locale.ROOT);
  }
}
