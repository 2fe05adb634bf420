package io.tallystick.storage.stream;

import io.tallystick.storage.framing.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/// Takes a segment as it is stored, in order and without gaps.
public interface SegmentSink {
  /// The segment's header.
  void header(ByteBuffer bytes) throws IOException;

  /// A frame with the zeros behind it.
  ///
  /// @param number of the frame
  /// @param bytes valid until the call returns
  /// @param infoBytes of its info section, which begins at {@link FrameHeader#BYTES}
  void frame(long number, ByteBuffer bytes, int infoBytes)
      throws IOException, CorruptStreamException;

  /// The payload section of the frame that comes next is damaged.
  ///
  /// @param position of the frame among the segment's bytes
  void damaged(long number, long position);
}
