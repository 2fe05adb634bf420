package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.StreamId;
import java.util.Locale;

/// A shard has a stream of its own, which perhaps goes on in another cluster, and gets no other.
public final class ShardNotEmptyException extends Exception {
  private static final long serialVersionUID = 1;

  public ShardNotEmptyException(StreamId shard) {
    super(
        String.format(
            Locale.ROOT, "shard %d has a stream already: a new one is needed", shard.shard()));
  }

  ShardNotEmptyException(StreamId shard, String successor) {
    super(
        String.format(
            Locale.ROOT, "shard %d is closed: it goes on in cluster %s", shard.shard(), successor));
  }
}
