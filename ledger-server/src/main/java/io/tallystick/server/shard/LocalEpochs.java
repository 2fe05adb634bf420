package io.tallystick.server.shard;

import io.tallystick.server.saved.SavepointRow;
import io.tallystick.storage.meta.MetaBatch;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import java.io.IOException;
import java.util.Locale;

/// Epochs from the savepoint row of the meta store that belongs to the stream: one more than the
/// row's. Source: `docs/formats/savepoint.md`.
public final class LocalEpochs implements Epochs {
  private final MetaStore meta;
  private final StreamStore streams;

  public LocalEpochs(MetaStore meta, StreamStore streams) {
    this.meta = meta;
    this.streams = streams;
  }

  /// Writes the row with the new epoch. A caller that is fenced changes nothing: however often it
  /// tries, it stays fenced.
  ///
  /// @throws StreamFencedException if the stream was written in an epoch that the row does not know
  @Override
  public long next(StreamId stream) throws IOException, CorruptStreamException {
    SavepointRow saved = SavepointRow.of(meta);
    long next = saved.epoch() + 1;
    long writtenBy = streams.epochOf(stream);
    if (next <= writtenBy) {
      throw new StreamFencedException(
          String.format(
              Locale.ROOT,
              "shard %d: the stream was written in epoch %d, the meta store knows %d: it is not the one that belongs to this stream",
              stream.shard(),
              writtenBy,
              saved.epoch()));
    }
    SavepointRow burnt = new SavepointRow(saved.position(), next, saved.timeMs());
    meta.write(new MetaBatch().put(SavepointRow.KEY, burnt.encode()));
    return next;
  }
}
