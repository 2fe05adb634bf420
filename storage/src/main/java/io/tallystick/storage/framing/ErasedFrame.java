package io.tallystick.storage.framing;

import java.util.Locale;

/// A frame that is to be erased: with this, kept where a crash does not reach it, an erasure that
/// was begun can be carried to its end, and no other damage to the frame passes for it.
///
/// @param frame its location
/// @param header that it has once it is erased
public record ErasedFrame(long frame, FrameHeader header, FrameEdits edits) {
  public ErasedFrame {
    if (edits.end() > header.frameBytes()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "edits up to byte %d of a frame of %d",
              edits.end(),
              header.frameBytes()));
    }
  }
}
