package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamEraser;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamPosition;
import io.tallystick.storage.stream.StreamReader;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.storage.stream.StreamWriter;
import io.tallystick.testkit.cluster.TwinCluster;
import java.io.IOException;

/// A replicated store that claims the epoch that it is told to write in.
final class ClaimingStore implements StreamStore {
  private final TwinCluster cluster;
  private final TwinCluster.Server server;

  ClaimingStore(TwinCluster cluster, TwinCluster.Server server) {
    this.cluster = cluster;
    this.server = server;
  }

  @Override
  public StreamWriter openWriter(StreamId id, long epoch, StreamPosition from)
      throws IOException, CorruptStreamException {
    ShardClaim held = server.claims().held(id).orElse(null);
    if (held == null || held.epoch() != epoch) {
      cluster.found(id);
      ShardClaims.Seen seen = server.claims().owner(id).orElseThrow();
      if (server.claims().claim(id, seen, epoch).epoch() != epoch) {
        throw new StreamFencedException("another epoch was claimed");
      }
    }
    return server.store().openWriter(id, epoch, from);
  }

  @Override
  public long epochOf(StreamId id) throws IOException, CorruptStreamException {
    return server.store().epochOf(id);
  }

  @Override
  public StreamReader openReader(StreamId id) throws IOException, CorruptStreamException {
    return server.store().openReader(id);
  }

  @Override
  public StreamEraser openEraser(StreamId id) {
    return server.store().openEraser(id);
  }

  @Override
  public void close() throws IOException {
    server.store().close();
  }
}
