package io.tallystick.server.index;

/// A block just sealed and signed, for the answers that wait for it.
public record SealedBlock(StrandIndex strand, long height, BlockRow row) {}
