package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;

/// Gives each writer of a commit stream an epoch. In one data directory {@link LocalEpochs} is
/// enough; where a shard may move to another machine, one that all machines share stands here.
@FunctionalInterface
public interface Epochs {
  /// An epoch higher than every one given for the stream before. It is durable before this returns,
  /// so that no two writers ever share one.
  ///
  /// @throws io.tallystick.storage.stream.StreamFencedException if the caller may not write the
  ///   stream
  /// @throws CorruptStreamException if what is stored of the epochs is damaged
  long next(StreamId stream) throws IOException, CorruptStreamException;
}
