package io.tallystick.server.frame;

import io.tallystick.storage.stream.StreamPosition;
import java.util.Locale;

/// Where a frame lies and where its payload section starts.
///
/// @param payloadOffset from the first byte of the frame
public record FramePlace(long frame, long number, int payloadOffset) {
  public static FramePlace of(StreamPosition position, int payloadOffset) {
    return new FramePlace(position.frame(), position.number(), payloadOffset);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "frame %d", number);
  }
}
