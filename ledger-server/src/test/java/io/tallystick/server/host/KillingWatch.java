package io.tallystick.server.host;

/// Ends a restore at one of its steps as a kill does: nothing is cleaned up.
final class KillingWatch implements LocalRestore.Watch {
  private final int at;
  private int steps;

  /// What a restore cleans up after no more than after a kill.
  static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /// @param at the first step is 0
  KillingWatch(int at) {
    this.at = at;
  }

  @Override
  public void stepped() {
    if (steps++ == at) {
      throw new Killed();
    }
  }

  @Override
  public void isAt(long bytes, long all) {
    stepped();
  }
}
