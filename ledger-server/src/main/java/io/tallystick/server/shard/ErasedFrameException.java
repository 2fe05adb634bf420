package io.tallystick.server.shard;

import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamPosition;
import org.jspecify.annotations.Nullable;

/// A frame that is to be replayed has been erased: only a savepoint that holds it helps.
final class ErasedFrameException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient StreamPosition at;

  /// @param damage that may be nothing else than that the frame was erased
  ErasedFrameException(StreamPosition at, @Nullable CorruptStreamException damage) {
    super(
        "frame "
            + at.number()
            + " was erased, and the savepoint does not hold it"
            + (damage == null ? "" : ": " + damage.getMessage()),
        damage);
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
