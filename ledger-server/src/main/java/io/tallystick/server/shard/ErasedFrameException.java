package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;

/// A frame that is to be replayed has been erased: only a savepoint that holds it helps.
final class ErasedFrameException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient StreamPosition at;

  ErasedFrameException(StreamPosition at) {
    super("frame " + at.number() + " was erased, and the savepoint does not hold it");
    this.at = at;
  }

  StreamPosition at() {
    return at;
  }

  /// The same, where there is no such savepoint.
  CorruptStreamException corrupt() {
    return new CorruptStreamException("stream", at.number(), String.valueOf(getMessage()), this);
  }
}
