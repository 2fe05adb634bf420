package io.tallystick.node;

import io.tallystick.model.StrandId;

/// Which leaves of a log are wanted.
///
/// @param to behind the last
/// @param withBodies whether salts and bodies are read too
/// @param journals whether a walk that begins below a purge is refused
public record LogRange(StrandId strand, long from, long to, boolean withBodies, boolean journals) {}
