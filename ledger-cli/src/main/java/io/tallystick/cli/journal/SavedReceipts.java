package io.tallystick.cli.journal;

import io.tallystick.cli.terminal.LocalPaths;
import io.tallystick.cli.terminal.Output;
import io.tallystick.client.Resent.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Journals of ours as an append tells them, and the folder that their receipts go to.
///
/// @param folder null: receipts are not saved
record SavedReceipts(@Nullable Path folder) {
  /// Makes the folder.
  static SavedReceipts in(@Nullable Path folder) throws IOException {
    if (folder != null) {
      LocalPaths.checkNoFile(folder);
      try {
        Files.createDirectories(folder);
      } catch (IOException e) {
        throw LocalPaths.notWritten(folder, e);
      }
    }
    return new SavedReceipts(folder);
  }

  void print(List<Standing> journals, Output output) {
    List<String> lines = new ArrayList<>();
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Standing journal : journals) {
      lines.add(
          String.format(
              Locale.ROOT,
              "jsn %s, verified under the head of %s leaves",
              journal.jsn(),
              journal.head().size()));
      rows.add(
          Output.object(
              "jsn",
              journal.jsn().value(),
              "timeMs",
              journal.timeMs(),
              "treeSize",
              journal.head().size().value(),
              "repeated",
              journal.repeated()));
    }
    output.print(String.join(System.lineSeparator(), lines), Output.object("journals", rows));
  }

  void save(List<Standing> journals) throws IOException {
    if (folder == null) {
      return;
    }
    for (Standing journal : journals) {
      LocalPaths.writeNew(
          folder.resolve(journal.jsn() + ".receipt"), journal.receipt().encode().toArray());
    }
  }
}
