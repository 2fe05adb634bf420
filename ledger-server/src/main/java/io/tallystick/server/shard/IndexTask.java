package io.tallystick.server.shard;

import io.tallystick.server.sequencer.Step;
import io.tallystick.storage.framing.FrameBuffer;
import io.tallystick.storage.stream.StreamPosition;
import org.jspecify.annotations.Nullable;

/// A frame and the answers that wait for it, which the commit thread hands to the index thread in
/// commit order.
///
/// @param frame the durable frame; null when the step wrote none (repeats only)
/// @param at where the frame lies; meaningless without one
/// @param after the boundary behind it
/// @param step what waits for the frame to be sealed; null for a closing frame
record IndexTask(
    @Nullable FrameBuffer frame,
    StreamPosition at,
    StreamPosition after,
    @Nullable Step<AdmittedAppend> step) {
  int frameBytes() {
    return frame == null ? 0 : frame.frameBytes();
  }
}
