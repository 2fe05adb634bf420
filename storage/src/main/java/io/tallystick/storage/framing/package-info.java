/// The bytes of a stream's frames, whatever they are stored in: {@link
/// io.tallystick.storage.framing.FrameBuffer} is what a writer fills, {@link
/// io.tallystick.storage.framing.FrameScan} what reads them back. Source: `docs/formats/frame.md`.
@NullMarked
package io.tallystick.storage.framing;

import org.jspecify.annotations.NullMarked;
