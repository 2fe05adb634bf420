package io.tallystick.storage.stream;

import java.io.IOException;

/// The single writer of a stream, used by one owner thread. Frames become durable in order, each by
/// one write and one force on the writer's own I/O thread.
public interface StreamWriter extends AutoCloseable {
  /// Where the next frame will lie.
  StreamPosition end();

  long epoch();

  /// Hands a frame over; header fields and checksums are stamped here. The buffer belongs to the
  /// writer until the frame is durable or has failed. At most one frame is in flight: the caller
  /// awaits the previous one first.
  ///
  /// @throws IllegalStateException if a frame is in flight, or the writer is closed
  /// @throws IOException if an earlier force failed: the writer is dead for good
  PendingFrame append(FrameBuffer frame) throws IOException;

  /// Closes the segment; the next frame starts a new one.
  void roll() throws IOException;

  /// Total bytes of frames from the start of the stream; for savepoint policy and metrics.
  long writtenBytes();

  @Override
  void close() throws IOException;
}
