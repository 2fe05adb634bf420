package io.tallystick.cli.terminal;

/// A request of the user that cannot be carried out as it was made.
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  public UsageException(String message) {
    super(message);
  }
}
