package io.tallystick.server.shard;

import io.tallystick.server.certificate.ChainTable;
import io.tallystick.server.note.NoteRows;
import io.tallystick.server.removal.ErasureTable;
import io.tallystick.server.removal.SavepointGate;
import io.tallystick.server.seal.Indexer;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import java.io.IOException;

/// Takes the savepoints of one opening of a shard. For whoever applies its frames.
record Savepoints(
    MetaStore meta, NoteRows notes, Indexer indexer, ChainTable chains, SavepointGate gate) {
  /// @param end behind the last frame that was applied
  /// @param timeMs of that frame
  void take(StreamPosition end, long epoch, long timeMs)
      throws IOException, CorruptStreamException {
    MetaBatch batch = new MetaBatch();
    notes.savepoint(batch, end.number());
    indexer.savepoint(batch, end, epoch, timeMs);
    ErasureTable.savepoint(batch, notes, indexer);
    chains.savepoint(batch);
    meta.write(batch);
    notes.saved();
    indexer.saved();
    chains.saved();
    gate.saved(end);
  }
}
