package io.tallystick.bench.soak;

/// A client saw what must not be, or a process ended by itself: the load ends there.
final class SoakFailure extends Exception {
  private static final long serialVersionUID = 1;

  SoakFailure(String message) {
    super(message);
  }
}
