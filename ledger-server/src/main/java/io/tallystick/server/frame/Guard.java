package io.tallystick.server.frame;

import io.tallystick.model.Digest;
import io.tallystick.model.StrandId;

/// A sealed block that replay must reproduce: the newest one of a strand when the frame was
/// written. Source: `docs/formats/commit-frame.md`, "Guard".
public record Guard(StrandId strand, long height, Digest blockHash) {}
