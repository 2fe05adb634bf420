/// Commit frames: the blocks that a frame makes, and everything needed to rebuild their leaves.
/// {@link io.tallystick.server.frame.CommitFrameWriter} lays it out, {@link
/// io.tallystick.server.frame.CommitFrame} reads it. Byte by byte in docs/formats/commit-frame.md.
@NullMarked
package io.tallystick.server.frame;

import org.jspecify.annotations.NullMarked;
