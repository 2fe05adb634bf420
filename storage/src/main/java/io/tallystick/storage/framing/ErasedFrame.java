package io.tallystick.storage.framing;

/// A frame that is to be erased: with this, kept where a crash does not reach it, an erasure that
/// was begun can be carried to its end, and no other damage to the frame passes for it.
///
/// @param frame its location
/// @param header that it has once it is erased
public record ErasedFrame(long frame, FrameHeader header, FrameEdits edits) {
  public ErasedFrame {
    edits.checkWithin(header);
  }
}
