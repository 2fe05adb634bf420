package io.tallystick.node;

import io.tallystick.model.Bytes;

/// Items of a bundle of the public read path, in the form they have in its file.
///
/// @param bytes each item behind its length
/// @param next the leaf behind the last one whose item is in `bytes`
public record BundlePiece(Bytes bytes, long next) {}
