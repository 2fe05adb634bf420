package io.tallystick.audit.source;

import io.tallystick.model.Bytes;

/// With what a source says that its log begins, because a prefix was purged. Not verified. Source:
/// `docs/formats/removal.md`.
///
/// @param pseudoGenesis encoded
/// @param window the entries of its snapshot's window, side by side
public record PurgedStart(Bytes pseudoGenesis, Bytes window) {}
