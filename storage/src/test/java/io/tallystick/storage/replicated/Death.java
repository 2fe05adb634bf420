package io.tallystick.storage.replicated;

import io.tallystick.testkit.cluster.Steps;

/// The end of a process at one of its steps; it takes none after that.
final class Death implements Steps {
  private final int at;
  private int steps;

  /// @param at 0-based
  Death(int at) {
    this.at = at;
  }

  /// The process is gone.
  static final class DiedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DiedException(String where) {
      super("died at: " + where);
    }
  }

  @Override
  public void step(String what) {
    if (steps++ >= at) {
      throw new DiedException(what);
    }
  }
}
