package io.tallystick.storage.stream;

/// A boundary between frames: the location the next frame will have or has, and its number
/// (0-based, without gaps).
public record StreamPosition(long frame, long number) {}
