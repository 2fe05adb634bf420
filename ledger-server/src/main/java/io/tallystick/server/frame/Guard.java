package io.tallystick.server.frame;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;

/// What replay must reproduce: the newest sealed block of a strand when the frame was written.
/// Source: `docs/formats/commit-frame.md`, "Guard".
public record Guard(StrandId strand, long height, Digest blockHash) {}
