package io.tallystick.node;

/// Where a time journal landed.
public record AnchoredAt(long jsn, long timeMs) {}
