package io.tallystick.server.seal;

import io.tallystick.server.saved.BlockRow;

/// A block just sealed and signed, for the answers that wait for it.
public record SealedBlock(StrandIndex strand, long height, BlockRow row) {}
