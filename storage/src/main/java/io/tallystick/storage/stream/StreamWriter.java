package io.tallystick.storage.stream;

import io.tallystick.storage.framing.FrameBuffer;
import java.io.IOException;
import java.util.Optional;

/// The single writer of a stream, used by one owner thread. Frames become durable in the order in
/// which they were appended.
public interface StreamWriter extends AutoCloseable {
  /// Where the next frame will lie.
  StreamPosition end();

  long epoch();

  /// The tail that was cut from the stream when this was opened.
  default Optional<TornTail> cut() {
    return Optional.empty();
  }

  /// Hands a frame over; header fields and checksums are stamped here. The buffer belongs to the
  /// writer until the frame is durable or has failed. An implementation bounds the frames in
  /// flight, at one or more (files: one); a caller of any implementation awaits the previous frame
  /// first.
  ///
  /// @throws IllegalStateException if as many frames are in flight as the implementation allows, or
  ///   the writer is closed
  /// @throws IOException if an earlier force failed: the writer is dead for good
  PendingFrame append(FrameBuffer frame) throws IOException;

  /// Closes the segment; the next frame starts a new one.
  void roll() throws IOException;

  /// Total bytes of frames from the start of the stream; for savepoint policy and metrics.
  long writtenBytes();

  @Override
  void close() throws IOException;
}
