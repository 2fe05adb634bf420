package io.tallystick.cli.operator;

import io.tallystick.cli.terminal.Output;
import io.tallystick.model.Printable;
import io.tallystick.node.Backups;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// How far a backup has the ledgers, for people and for programs.
final class BackupText {
  private BackupText() {}

  /// A line for each.
  static void append(List<Backups.Head> heads, StringBuilder text) {
    for (Backups.Head head : heads) {
      text.append(System.lineSeparator())
          .append(
              String.format(
                  Locale.ROOT,
                  "%s  %,d leaves, %,d blocks%s  %s",
                  head.ledger(),
                  head.size(),
                  head.blocks(),
                  head.witnessed() ? ", witnessed" : "",
                  Printable.of(head.name())));
    }
  }

  static List<Map<String, Object>> rows(List<Backups.Head> heads) {
    return heads.stream()
        .map(head ->
            Output.object(
                "ledger",
                head.ledger().toString(),
                "name",
                head.name(),
                "size",
                head.size(),
                "blocks",
                head.blocks(),
                "root",
                head.root().hex(),
                "witnessed",
                head.witnessed()))
        .toList();
  }
}
