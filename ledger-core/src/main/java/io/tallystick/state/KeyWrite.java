package io.tallystick.state;

import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Op;
import io.tallystick.journal.SealLeaf;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Jsn;

/// A write of a key that is proven to stand in a log.
///
/// @param op on the key
/// @param seal of the journal's block
public record KeyWrite(JournalLeaf journal, Op op, SealLeaf seal) {
  public Jsn jsn() {
    return journal.jsn();
  }

  public long timeMs() {
    return journal.timeMs();
  }

  /// Of its block.
  public long height() {
    return seal.height();
  }

  /// What the state holds of the key until the next write.
  public StateEntry entry() {
    return switch (op) {
      case Op.Put put -> StateEntry.put(put.key(), put.valueCommit(), put.valueSizeBytes(), jsn());
      case Op.Delete delete -> StateEntry.tombstone(delete.key(), jsn());
    };
  }
}
