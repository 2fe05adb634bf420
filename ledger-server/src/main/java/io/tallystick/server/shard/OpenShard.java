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

/// A shard that has claimed its stream and replayed all of it, replaced as a whole when the shard
/// reopens. What names a place in the log can be read; it serves once {@link StreamClaim#begin} has
/// returned.
record OpenShard(StreamClaim claim, Following following, OwnerLease lease)
    implements AutoCloseable {
  private RestoredShard restored() {
    return following.restored();
  }

  long epoch() {
    return claim.epoch();
  }

  StreamWriter writer() {
    return claim.writer();
  }

  NoteRows notes() {
    return restored().notes();
  }

  Sequencer sequencer() {
    return restored().sequencer();
  }

  Indexer indexer() {
    return following.indexer();
  }

  OpenIndexes indexes() {
    return restored().indexes();
  }

  LogReader log() {
    return following.log();
  }

  LedgerTime time() {
    return restored().time();
  }

  /// Of the savepoints that this opening began with and takes.
  SavepointGate gate() {
    return following.gate();
  }

  ShardTables tables() {
    return restored().tables();
  }

  /// Behind the last frame that was replayed.
  StreamPosition replayedTo() {
    return following.position();
  }

  @Override
  public void close() throws IOException {
    lease.end();
    StreamReader reader = following.reader();
    StreamWriter writer = writer();
    ArrayStore arrays = restored().arrays();
    OpenIndexes indexes = restored().indexes();
    TableRows rows = restored().rows();
    try (reader;
        writer;
        arrays;
        indexes;
        rows) {
      // Closed in the opposite order; each even if another fails.
    }
  }
}
