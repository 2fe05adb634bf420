package io.tallystick.cli.text;

import io.tallystick.cli.terminal.Count;
import io.tallystick.cli.terminal.Output;
import io.tallystick.lineage.ClueState;
import io.tallystick.lineage.LineageEntry;
import io.tallystick.lineage.LineageFile;
import io.tallystick.lineage.VerifiedLineage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The content of a saved lineage, for people and for JSON.
public final class SavedLineageText {
  private SavedLineageText() {}

  /// @param clue the clue by its text if it is known, else by its id
  public static String text(LineageFile.Verified shown, String clue) {
    List<String> lines = new ArrayList<>();
    List<LineageEntry> entries = entries(shown);
    entries.forEach(entry -> lines.add(line(entry)));
    if (shown.state() instanceof ClueState.Used used && used.isDeleted()) {
      lines.add(String.format(Locale.ROOT, "Journal %d deleted the clue.", deletedJsn(used)));
    }
    lines.add("Verified: " + verdict(shown, clue));
    return String.join(System.lineSeparator(), lines);
  }

  private static String verdict(LineageFile.Verified shown, String clue) {
    String among =
        String.format(Locale.ROOT, "among the first %s leaves of the log", shown.head().size());
    if (shown.lineage().isEmpty()) {
      long count = shown.state().count();
      return count == 0
          ? String.format(Locale.ROOT, "no journal %s names %s.", among, clue)
          : String.format(
              Locale.ROOT,
              "%s %s name %s; the file shows none of them.",
              Count.of(count, "journal"),
              among,
              clue);
    }
    VerifiedLineage run = shown.lineage().get();
    long behind = run.state().count() - run.end();
    return String.format(
        Locale.ROOT,
        "%s %s %s %s%s%s.",
        Count.of(run.entries().size(), "journal"),
        among,
        run.entries().size() == 1 ? "names" : "name",
        clue,
        run.first() == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "; %s stood before them, which the file does not show",
                Count.of(run.first(), "journal")),
        behind == 0
            ? ", and no other of these leaves does"
            : String.format(Locale.ROOT, "; %s more follow them", behind));
  }

  public static Map<String, Object> row(LineageFile.Verified shown) {
    Map<String, Object> row =
        Output.object("clueId", shown.state().clueId().hex(), "count", shown.state().count());
    if (shown.state() instanceof ClueState.Used used && used.isDeleted()) {
      row.put("deletedJsn", deletedJsn(used));
    }
    row.put("first", shown.lineage().map(VerifiedLineage::first).orElse(0L));
    row.put("journals", entries(shown).stream().map(SavedLineageText::row).toList());
    row.put("complete", isComplete(shown));
    row.put("headSize", shown.head().size().value());
    return row;
  }

  /// Whether all journals of the clue are shown.
  private static boolean isComplete(LineageFile.Verified shown) {
    return shown
        .lineage()
        .map(VerifiedLineage::isComplete)
        .orElse(shown.state() instanceof ClueState.NeverUsed);
  }

  private static long deletedJsn(ClueState.Used used) {
    return used.value().deletedJsn();
  }

  private static List<LineageEntry> entries(LineageFile.Verified shown) {
    return shown.lineage().map(VerifiedLineage::entries).orElse(List.of());
  }

  /// One journal of a clue, of which the leaf alone is known.
  public static String line(LineageEntry entry) {
    return String.format(
        Locale.ROOT,
        "%8d  %s  %s",
        entry.jsn(),
        Instant.ofEpochMilli(entry.leaf().timeMs()),
        kind(entry));
  }

  public static Map<String, Object> row(LineageEntry entry) {
    return Output.object("jsn", entry.jsn(), "timeMs", entry.leaf().timeMs(), "kind", kind(entry));
  }

  private static String kind(LineageEntry entry) {
    return entry.header().kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
