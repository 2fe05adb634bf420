package io.tallystick.journal;

/// The state of a journal's erasable part, its salt and its body.
public enum BodyState {
  /// Genesis and seals have no body.
  NONE,
  PRESENT,
  /// Who signed what kind of journal, and when, remains.
  ERASED,
  /// The stored bytes fail their checksum. An audit counts it as a fault.
  DAMAGED
}
