package io.tallystick.server.shard;

import io.tallystick.server.note.NoteRows;
import io.tallystick.server.read.LogReader;
import io.tallystick.server.removal.SavepointGate;
import io.tallystick.server.seal.Indexer;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;

/// A shard's state as recovered from its storage, replaced as a whole when the shard reopens.
///
/// @param gate of the savepoints that this opening began with and takes
/// @param rows of the tables
/// @param indexedTo the first frame that is not indexed yet
record OpenShard(
    long epoch,
    NoteRows notes,
    Sequencer sequencer,
    Indexer indexer,
    ArrayStore arrays,
    OpenIndexes indexes,
    StreamWriter writer,
    StreamReader reader,
    LogReader log,
    LedgerTime time,
    SavepointGate gate,
    TableRows rows,
    ShardTables tables,
    StreamPosition indexedTo,
    OwnerLease lease) {
  void close() throws IOException {
    lease.end();
    try (reader;
        writer;
        arrays;
        indexes;
        rows) {
      // Closed in the opposite order; each even if another fails.
    }
  }
}
