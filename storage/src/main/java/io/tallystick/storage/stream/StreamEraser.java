package io.tallystick.storage.stream;

import io.tallystick.storage.framing.ErasedFrame;
import io.tallystick.storage.framing.FrameEdits;
import java.io.IOException;
import java.util.Collection;

/// Takes bytes of a stream away for good. Nothing that stays moves. One thread uses it; readers and
/// the writer go on beside it. Source: `docs/formats/frame.md`, "Erasing".
///
/// Use: {@link #plan} frames, force what it returns into a store of the caller's, {@link #erase}
/// them, and forget them there. After a crash, erase again all that were not forgotten.
public interface StreamEraser extends AutoCloseable {
  /// Reads a frame and says what it will be. Changes nothing.
  ///
  /// @param frame its location
  /// @throws IllegalStateException if it is the newest frame or not durable: recovery checks the
  ///   newest frame's payload section, and cuts the frame if it is half erased
  /// @throws IllegalArgumentException if the edits reach beyond the frame
  /// @throws CorruptStreamException if the frame is damaged already: stamped anew it would look
  ///   sound
  ErasedFrame plan(long frame, FrameEdits edits) throws IOException, CorruptStreamException;

  /// Zeroes, stamps the headers, forces, and gives whole blocks back to the file system, durably,
  /// before it returns. It may be repeated on frames that are partly or wholly erased. Frames of
  /// dropped segments are passed over. After an exception this eraser must not be used again.
  ///
  /// @throws CorruptStreamException if a frame differs from what was planned in other bytes than
  ///   those that go; its header then stays as it is
  void erase(Collection<ErasedFrame> planned) throws IOException, CorruptStreamException;

  /// Deletes the segments before the one that holds a frame, durably before it returns. A crash
  /// leaves the newest of them, without gaps. After an exception this eraser must not be used
  /// again; the next one goes on with what is left.
  ///
  /// @param frame its location, at most the stream's end
  void dropBefore(long frame) throws IOException;

  /// Whether {@link #dropBefore} has a segment to delete.
  ///
  /// @param frame as there
  boolean canDropBefore(long frame);

  /// Whether the segment that held a frame is dropped.
  ///
  /// @param frame its location
  boolean isDropped(long frame);

  @Override
  void close() throws IOException;
}
