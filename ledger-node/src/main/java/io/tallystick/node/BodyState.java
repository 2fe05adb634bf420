package io.tallystick.node;

/// What is held of a journal's erasable part.
public enum BodyState {
  /// Genesis and seals have no body.
  NONE,
  PRESENT,
  ERASED,
  /// The stored bytes fail their checksum.
  DAMAGED
}
