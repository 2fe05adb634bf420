package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.BodyState;
import io.tallystick.journal.GenesisLeaf;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Kind;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A verified journal for people and for JSON.
public final class JournalText {
  private static final int PREVIEW_CHARS = 60;
  private static final String LINE_FEED = "⏎";
  private static final String MARGIN = System.lineSeparator() + "          | ";

  private JournalText() {}

  public static String kind(LedgerJournal journal) {
    return switch (journal.leaf()) {
      case GenesisLeaf _ -> "genesis";
      case SealLeaf seal -> "seal of block " + seal.height();
      case JournalLeaf _ -> journal.header().map(header -> kind(header.kind())).orElse("journal");
    };
  }

  public static String kind(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// One line, in which {@link #LINE_FEED} stands for a line's end inside the payload.
  ///
  /// @param erased by what the body was, verified
  public static String line(LedgerJournal journal, Optional<ErasedBody> erased) {
    return text(journal, LINE_FEED, erased);
  }

  /// By what its body was erased, verified; empty if it was not.
  public static Optional<ErasedBody> erased(LedgerHandle ledger, LedgerJournal journal)
      throws TallyException {
    return journal.bodyState() == BodyState.ERASED
        ? Optional.of(ledger.removals().shownErasure(journal.jsn()))
        : Optional.empty();
  }

  /// The exit status for so many damaged items: damage by the service's own word is evidence, for
  /// the service holds less than it took.
  public static int status(long damaged) {
    return damaged == 0 ? ExitCode.OK : ExitCode.EVIDENCE;
  }

  /// A line that says so; empty if nothing is damaged.
  ///
  /// @param things with an s at the end for more than one
  public static Optional<String> damage(long damaged, String things) {
    return damaged == 0
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "DAMAGED, by the service's own word: %s. Let `tally audit` read the log.",
                Count.of(damaged, things)));
  }

  /// The payload's lines as lines, but for the end of the last; a margin tells them from those of
  /// the command.
  public static String lines(LedgerJournal journal) {
    StringBuilder lines = new StringBuilder(text(journal, MARGIN, Optional.empty()));
    journal.ops().forEach(op -> lines.append(MARGIN).append(StateText.line(op)));
    return lines.toString();
  }

  private static String text(LedgerJournal journal, String lineFeed, Optional<ErasedBody> erased) {
    String body =
        journal
            .body()
            .map(held ->
                String.format(
                        Locale.ROOT,
                        "%d B %s",
                        held.payload().size(),
                        preview(held.payload(), lineFeed))
                    .stripTrailing())
            .orElse(
                journal.bodyState() == BodyState.NONE
                    ? ""
                    : "body "
                        + erased
                            .map(ErasureText::words)
                            .orElse(journal.bodyState().name().toLowerCase(Locale.ROOT)));
    String ops = journal.ops().isEmpty() ? "" : ", " + Count.of(journal.ops().size(), "operation");
    return String.format(
        Locale.ROOT,
        "%8s  %s  %-16s %s%s",
        journal.jsn(),
        Instant.ofEpochMilli(journal.timeMs()),
        kind(journal),
        body,
        ops);
  }

  public static Map<String, Object> row(LedgerJournal journal) {
    Map<String, Object> row =
        Output.object(
            "jsn",
            journal.jsn().value(),
            "timeMs",
            journal.timeMs(),
            "kind",
            kind(journal),
            "bodyStatus",
            journal.bodyState().name().toLowerCase(Locale.ROOT));
    journal
        .body()
        .ifPresent(body -> {
          row.put("contentType", body.contentType());
          row.put("payloadHex", body.payload().hex());
        });
    if (!journal.ops().isEmpty()) {
      row.put("operations", journal.ops().stream().map(StateText::row).toList());
    }
    if (!journal.signers().isEmpty()) {
      row.put("signers", journal.signers().stream().map(Digest::hex).toList());
    }
    if (journal.delegated()) {
      row.put("delegated", true);
    }
    return row;
  }

  /// A value in one line.
  static String preview(Bytes value) {
    return preview(value, LINE_FEED);
  }

  private static String preview(Bytes payload, String lineFeed) {
    try {
      String text =
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload.toArray())).toString();
      String lines = text.replace("\r\n", "\n");
      String shown = lines.endsWith("\n") ? lines.substring(0, lines.length() - 1) : lines;
      String cut =
          shown.length() <= PREVIEW_CHARS ? shown : shown.substring(0, PREVIEW_CHARS) + "…";
      return Arrays.stream(cut.split("\n", -1))
          .map(Printable::of)
          .collect(Collectors.joining(lineFeed));
    } catch (CharacterCodingException _) {
      return payload.toString();
    }
  }
}
