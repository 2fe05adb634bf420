package io.tallystick.server.frame;

import io.tallystick.storage.stream.StreamPosition;

/// Where a frame lies and where its payload section starts.
///
/// @param payloadOffset from the first byte of the frame
public record FramePlace(long frame, long number, int payloadOffset) {
  public static FramePlace of(StreamPosition position, int payloadOffset) {
    return new FramePlace(position.frame(), position.number(), payloadOffset);
  }

  @Override
  public String toString() {
    return "frame %d".formatted(number);
  }
}
