package io.tallystick.node;

/// Whether a node serves.
///
/// @param detail why not, in plain words; empty when all is well
public record NodeHealth(boolean readable, boolean appendable, String detail) {}
