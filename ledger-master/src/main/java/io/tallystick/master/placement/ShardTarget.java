package io.tallystick.master.placement;

import io.tallystick.cbor.CborReader;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.model.Bytes;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;

/// A server that shall write a shard: the value at the shard's paths `target`, written by masters,
/// and `wanted`, written for an operator. Source: `docs/formats/replicated.md`.
///
/// @param atMs when it was written, by the writer's clock, in milliseconds since 1970
/// @param nonce drawn at random for this value
public record ShardTarget(String server, long atMs, long nonce) {
  private static final int FIELDS = 4;

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
