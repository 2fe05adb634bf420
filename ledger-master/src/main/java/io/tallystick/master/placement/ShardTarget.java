package io.tallystick.master.placement;

import io.tallystick.cbor.CborReader;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.Optional;

/// A server that shall write a shard: the value at the shard's paths `target`, written by masters,
/// and `wanted`, written for an operator. Source: `docs/formats/replicated.md`.
///
/// @param atMs when it was written, by the writer's clock, in milliseconds since 1970
/// @param nonce drawn at random for this value
public record ShardTarget(String server, long atMs, long nonce) {
  private static final int FIELDS = 4;

  /// The server that masters want a shard on; empty before a master has placed it.
  public static Optional<ShardTarget> read(
      Coordination coordination, ClusterPaths paths, StreamId shard)
      throws IOException, CorruptStreamException {
    String path = paths.target(shard);
    Optional<Versioned> there = coordination.read(path);
    return there.isEmpty() ? Optional.empty() : Optional.of(decode(path, there.get()));
  }

  Bytes encode() {
    return SharedValue.end(SharedValue.begin(FIELDS).text(server).uint(atMs), nonce);
  }

  static ShardTarget decode(String path, Versioned there) throws CorruptStreamException {
    return SharedValue.decode(
        path,
        there,
        FIELDS,
        (CborReader reader) ->
            new ShardTarget(reader.text(), reader.uint(), SharedValue.nonce(reader)));
  }
}
