package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;

/// A store that claims the epoch that it is told to write in, of a shard that it makes if there is
/// none.
record ClaimingStreams(
    Coordination coordination,
    ClusterPaths paths,
    ShardClaims claims,
    ReplicatedStreamStore store,
    RandomGenerator nonces)
    implements StreamStore {
  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    ShardClaim held = claims.held(id).orElse(null);
    if (held == null || held.epoch() != epoch) {
      ShardClaims.found(coordination, paths, List.of(id), nonces);
      held = claims.claim(id, claims.owner(id).orElseThrow(), epoch);
    }
    return store.openWriter(id, held.epoch(), from);
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return store.epochOf(id);
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    return store.openReader(id);
  }

  @Override
  public StreamEraser openEraser(StreamId id) {
    return store.openEraser(id);
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
