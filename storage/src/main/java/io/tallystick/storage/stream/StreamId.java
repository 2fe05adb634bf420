package io.tallystick.storage.stream;

/// Names a stream within its store: one per shard.
public record StreamId(int shard) {
  public StreamId {
    if (shard < 0) {
      throw new IllegalArgumentException("shard " + shard + " is negative");
    }
  }
}
