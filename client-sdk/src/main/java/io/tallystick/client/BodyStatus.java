package io.tallystick.client;

/// What the service gave of a journal's body.
public enum BodyStatus {
  /// Genesis and seals have none.
  NONE,
  /// Here, and it is what the header commits to.
  PRESENT,
  /// Erased by an occult or purge; who signed what kind of thing, and when, remains.
  ERASED,
  /// The service says that what it stored is damaged. An auditor reports it as a fault.
  DAMAGED
}
