package io.tallystick.cli.audit;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.cli.terminal.UsageException;
import io.tallystick.cli.text.HeadText;
import io.tallystick.cli.text.JournalText;
import io.tallystick.client.AnchoredClue;
import io.tallystick.client.AnchoredJournal;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.durable.PlainFile;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.Printable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// One journal, or the journals of a clue, to be verified from the nearest trusted anchor.
final class NamedJournals {
  private static final int SHOWN_MAX = 20;

  @Option(
      names = "--jsn",
      paramLabel = "JSN",
      description = "A journal to verify from the nearest trusted anchor: its place, its signers")
  private @Nullable Long jsn;

  @Option(
      names = "--data",
      paramLabel = "FILE",
      description = "What the payload of the journal must be")
  private @Nullable Path data;

  /// @param clue named without a saved lineage
  boolean wanted(@Nullable String clue) throws UsageException {
    if (jsn != null && clue != null) {
      throw new UsageException("--jsn and --clue exclude each other");
    }
    if (jsn != null && jsn < 0) {
      throw new UsageException("jsn " + jsn + " is negative");
    }
    if (data != null && jsn == null && clue == null) {
      throw new UsageException("--data is the payload of a journal: name --jsn, or its --clue");
    }
    return jsn != null || clue != null;
  }

  void verify(LedgerHandle ledger, @Nullable String clue, Output output)
      throws TallyException, IOException, UsageException {
    Optional<Bytes> payload = data == null ? Optional.empty() : Optional.of(read(data));
    if (clue != null && payload.isEmpty()) {
      print(ledger.verify(clue), ledger, output);
      return;
    }
    try {
      print(verified(ledger, clue, payload), ledger, output);
    } catch (IllegalArgumentException e) {
      // Genesis and seals have no payload.
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private AnchoredJournal verified(
      LedgerHandle ledger, @Nullable String clue, Optional<Bytes> payload) throws TallyException {
    if (clue != null) {
      return ledger.anchors().verify(clue, payload.orElseThrow());
    }
    Jsn named = new Jsn(Objects.requireNonNull(jsn));
    return payload.isPresent()
        ? ledger.anchors().verify(named, payload.get())
        : ledger.verify(named);
  }

  /// What is longer than a payload may be is none, whatever it is.
  private static Bytes read(Path file) throws IOException {
    LocalPaths.checkNoFolder(file);
    try (InputStream in = PlainFile.open(file)) {
      return Bytes.wrap(in.readNBytes(Limits.PAYLOAD_BYTES_MAX + 1));
    }
  }

  private void print(AnchoredJournal verified, LedgerHandle ledger, Output output) {
    LedgerJournal journal = verified.journal();
    List<String> signers = journal.signers().stream().map(Digest::hex).toList();
    String body = journal.bodyState().name().toLowerCase(Locale.ROOT);
    String text =
        String.format(
            Locale.ROOT,
            "journal %s of %s, %s, body %s%n%sVerified: it stands at this jsn under %s%s%s.",
            journal.jsn(),
            Instant.ofEpochMilli(journal.timeMs()),
            JournalText.kind(journal),
            body,
            signers.isEmpty()
                ? ""
                : "signed by " + String.join(", ", signers) + System.lineSeparator(),
            under(verified.anchor()),
            signers.isEmpty() ? "" : ", and they signed it",
            data == null ? "" : "; its payload is " + LocalPaths.shown(data));
    Map<String, Object> row =
        Output.object(
            "jsn",
            journal.jsn().value(),
            "timeMs",
            journal.timeMs(),
            "kind",
            JournalText.kind(journal),
            "bodyStatus",
            body,
            "signers",
            signers,
            "dataVerified",
            data != null);
    verified.anchor().ifPresent(anchor -> row.put("anchorSize", anchor.size().value()));
    HeadText.print(output, ledger, text, row);
  }

  private static String under(Optional<SignedHead> anchor) {
    return anchor
        .map(head -> String.format(Locale.ROOT, "the trusted anchor of %s leaves", head.size()))
        .orElse("a head this user trusts");
  }

  private static void print(AnchoredClue verified, LedgerHandle ledger, Output output) {
    List<Long> jsns = verified.journals().stream().map(LineageEntry::jsn).toList();
    String some =
        jsns.stream().limit(SHOWN_MAX).map(String::valueOf).collect(Collectors.joining(", "));
    String text =
        String.format(
            Locale.ROOT,
            "%d journals name clue %s%s%s%s%nVerified: these and no others, under the head of %s leaves.",
            jsns.size(),
            Printable.name(Bytes.utf8(verified.clue())),
            verified
                .anchor()
                .map(head ->
                    String.format(
                        Locale.ROOT,
                        " above the trusted anchor of %s leaves, %d below it",
                        head.size(),
                        verified.before()))
                .orElse(""),
            jsns.isEmpty() ? "" : ": " + some,
            jsns.size() > SHOWN_MAX ? ", …" : "",
            verified.head().size());
    Map<String, Object> row =
        Output.object(
            "clue",
            verified.clue(),
            "jsns",
            jsns,
            "before",
            verified.before(),
            "headSize",
            verified.head().size().value());
    verified.anchor().ifPresent(anchor -> row.put("anchorSize", anchor.size().value()));
    HeadText.print(output, ledger, text, row);
  }
}
