package io.tallystick.server.shard;

import io.tallystick.server.index.ClueReads;
import io.tallystick.server.index.ClueStores;
import io.tallystick.server.index.Indexer;
import io.tallystick.server.index.LogReader;
import io.tallystick.server.sequencer.Sequencer;
import io.tallystick.storage.array.ArrayStore;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;

/// A shard's state as recovered from its storage, replaced as a whole when the shard reopens.
///
/// @param indexedTo the first frame that is not indexed yet
record OpenShard(
    long epoch,
    Sequencer sequencer,
    Indexer indexer,
    ArrayStore arrays,
    ClueStores clues,
    StreamWriter writer,
    StreamReader reader,
    LogReader log,
    ClueReads clueReads,
    StreamPosition indexedTo) {
  void close() throws IOException {
    try (reader;
        writer;
        arrays;
        clues) {
      // Closed in the opposite order; each even if another fails.
    }
  }
}
