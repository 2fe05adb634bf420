package io.tallystick.cli.removal;

import io.tallystick.cli.terminal.Count;
import io.tallystick.evidence.ShownJournal;
import io.tallystick.evidence.ShownMember;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import io.tallystick.model.Role;
import io.tallystick.removal.ErasureStatement;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.tile.TilePath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/// One page for a data-protection officer: what was removed, on whose order, when, what remains,
/// and what the certificate does not prove. The same words as text and as HTML.
///
/// @param provenMs when an authority that the reader trusts saw a head with the removal
record ErasurePage(RemovalCertificate.Verified verified, OptionalLong provenMs) {
  private static final String STYLE =
      "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
          + "table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .6em;"
          + "text-align:left;vertical-align:top}code,td{font-family:monospace;"
          + "overflow-wrap:anywhere}";

  /// @param rows of a table, its head first; empty for none
  private record Section(String title, List<String> sentences, List<List<String>> rows) {}

  String text() {
    StringBuilder text = new StringBuilder("Certificate of erasure: verified");
    for (Section section : sections()) {
      text.append(String.format(Locale.ROOT, "%n%n%s", section.title));
      section.sentences.forEach(
          sentence -> text.append(String.format(Locale.ROOT, "%n  %s", sentence)));
      section.rows.stream()
          .skip(1)
          .forEach(row ->
              text.append(
                  String.format(Locale.ROOT, "%n  - %s", words(section.rows.getFirst(), row))));
    }
    return text.toString();
  }

  private static String words(List<String> head, List<String> row) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      if (!row.get(i).isEmpty()) {
        words.add(String.format(Locale.ROOT, "%s %s", head.get(i), row.get(i)));
      }
    }
    return String.join(", ", words);
  }

  String html() {
    StringBuilder html = new StringBuilder();
    html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.append("<title>Certificate of erasure</title>\n<style>").append(STYLE);
    html.append("</style>\n</head>\n<body>\n<h1>Certificate of erasure</h1>\n");
    for (Section section : sections()) {
      html.append("<h2>").append(escape(section.title)).append("</h2>\n");
      for (String sentence : section.sentences) {
        html.append("<p>").append(escape(sentence)).append("</p>\n");
      }
      table(html, section.rows);
    }
    return html.append("</body>\n</html>\n").toString();
  }

  private static void table(StringBuilder html, List<List<String>> rows) {
    if (rows.isEmpty()) {
      return;
    }
    html.append("<table>\n");
    String cell = "th";
    for (List<String> row : rows) {
      html.append("<tr>");
      for (String value : row) {
        html.append(String.format(Locale.ROOT, "<%s>%s</%s>", cell, escape(value), cell));
      }
      html.append("</tr>\n");
      cell = "td";
    }
    html.append("</table>\n");
  }

  private static String escape(String text) {
    return Printable.of(text)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private List<Section> sections() {
    return List.of(what(), order(), when(), remains(), copies(), limits());
  }

  private boolean purge() {
    return verified.removal().header().extension() instanceof Extension.Purge;
  }

  private Section what() {
    ErasureStatement done = verified.statement();
    List<String> sentences = new ArrayList<>();
    sentences.add(
        String.format(
            Locale.ROOT,
            "Ledger %s of the service %s.",
            verified.strand().ledger(),
            verified.genesis().authority().value()));
    switch (verified.removal().header().extension()) {
      case Extension.Purge purge ->
          sentences.add(
              String.format(
                  Locale.ROOT,
                  "A purge removed all journals from jsn %s to %d. Their bodies are erased.",
                  done.first(),
                  purge.firstKept().value() - 1));
      case Extension.Occult(ErasureTarget.OfClue(Digest clueId, _, _), _) ->
          sentences.add(
              String.format(
                  Locale.ROOT,
                  "An occult erased the bodies of %s, all that name clue %s in its range.",
                  Count.of(done.count(), "journal"),
                  clueId));
      default ->
          sentences.add(
              String.format(
                  Locale.ROOT,
                  "An occult erased the bodies of %s.",
                  Count.of(done.count(), "journal")));
    }
    if (!purge() && verified.targets().size() < done.count()) {
      sentences.add(
          String.format(Locale.ROOT, "The first %d are listed.", verified.targets().size()));
    }
    List<List<String>> rows = new ArrayList<>();
    if (!verified.targets().isEmpty()) {
      rows.add(List.of("journal", "committed at", "body bytes", "clue ids", "operations"));
    }
    verified.targets().forEach(target -> rows.add(target(target)));
    return new Section("What was erased", sentences, rows);
  }

  private static List<String> target(ShownJournal target) {
    String clues =
        target.header().clueIds().stream().map(Digest::hex).collect(Collectors.joining(" "));
    int ops = target.header().opsCount();
    return List.of(
        target.jsn().toString(),
        time(target.timeMs()),
        String.valueOf(target.header().bodySizeBytes()),
        clues,
        ops == 0 ? "" : String.valueOf(ops));
  }

  private Section order() {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        String.format(
            Locale.ROOT,
            "The order is journal %s of the ledger. Each of these keys signed it.",
            verified.removal().jsn()));
    if (verified.removal().header().extension() instanceof Extension.Occult occult) {
      String basis = Printable.of(occult.basis());
      sentences.add(basis.isEmpty() ? "It states no basis." : "Its basis: " + basis + ".");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("key", "role", "since journal", "kind of key"));
    for (ShownMember signer : verified.signers()) {
      rows.add(
          List.of(
              signer.key().kid().hex(),
              role(signer.role()),
              signer.since().toString(),
              signer.delegated() ? "an agent's" : "a person's"));
    }
    return new Section("On whose order", sentences, rows);
  }

  private Section when() {
    List<String> sentences = new ArrayList<>();
    sentences.add(String.format(Locale.ROOT, "Ordered at %s.", time(verified.removal().timeMs())));
    sentences.add(
        String.format(
            Locale.ROOT,
            "Erased at %s, by the service's clock.",
            time(verified.statement().doneMs())));
    verified
        .time()
        .ifPresentOrElse(
            covering -> {
              sentences.add(
                  String.format(
                      Locale.ROOT,
                      "Time journal %s of %s is about a log of %s leaves, which holds the order.",
                      covering.journal().jsn(),
                      time(covering.journal().timeMs()),
                      covering.content().size()));
              sentences.add(
                  provenMs.isPresent()
                      ? String.format(
                          Locale.ROOT,
                          "A time authority that you trust saw that log at %s.",
                          time(provenMs.getAsLong()))
                      : "Its time-stamp token was not judged here.");
            },
            () -> sentences.add("No time journal is shown; the times are the service's."));
    return new Section("When", sentences, List.of());
  }

  private Section remains() {
    List<String> sentences = new ArrayList<>();
    if (verified.removal().header().extension() instanceof Extension.Purge purge) {
      long firstKept = purge.firstKept().value();
      long firstLeaf = firstKept - firstKept % TilePath.WIDTH;
      if (firstLeaf < firstKept) {
        sentences.add(
            String.format(
                Locale.ROOT,
                "Leaves, signatures and operations of journals %d to %d, until a purge goes further.",
                firstLeaf,
                firstKept - 1));
      }
      sentences.add("The hashes of all journals, so that receipts of before still verify.");
      sentences.add("Genesis and the journals about members, keys and removals, with signatures.");
      sentences.add(
          "The clue ids and the current state, with the keys of the state in plain text.");
    } else {
      sentences.add(
          "The leaf of each journal: its jsn, its time, the size of its body, its clue ids.");
      sentences.add("The keys of its signers and their signatures.");
      sentences.add(
          "Of each operation on the state: its key in plain text, the size of its value, "
              + "and hashes. Values and their salts are erased.");
    }
    return new Section("What remains", sentences, List.of());
  }

  private Section copies() {
    return new Section(
        "Copies that others may hold",
        List.of(
            "Members and auditors may have read or exported the bodies before.",
            "Backups of the service hold them until they expire.",
            "None of these is reached by the order."),
        List.of());
  }

  private Section limits() {
    return new Section(
        "What this certificate cannot prove",
        List.of(
            "That the bytes are gone is the service's word, signed by its receipt key; no proof.",
            "That no signer was revoked before, only an audit of the whole log shows.",
            "Who the persons behind the keys are, the ledger's members know."),
        List.of());
  }

  private static String role(Role role) {
    return role.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String time(long ms) {
    return Instant.ofEpochMilli(ms).toString();
  }
}
