package io.tallystick.server.backup;

import io.tallystick.model.Printable;
import io.tallystick.node.Backups;
import io.tallystick.server.saved.SavedWorld;
import io.tallystick.server.saved.StrandRow;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The newest heads that the rows of a shard hold, of which they do not say whether witnesses have
/// seen them.
public final class SavedHeads {
  private SavedHeads() {}

  /// One of each ledger.
  public static List<Backups.Head> of(MetaStore rows) throws IOException, CorruptStreamException {
    List<Backups.Head> heads = new ArrayList<>();
    for (SavedWorld.SavedLedger each : SavedWorld.ledgers(rows)) {
      StrandRow strand = each.strand();
      heads.add(
          new Backups.Head(
              each.ledger().id(),
              strand.size(),
              strand.blocks(),
              strand.last().headRoot(),
              false,
              Printable.of(each.ledger().name().name())));
    }
    return heads;
  }
}
