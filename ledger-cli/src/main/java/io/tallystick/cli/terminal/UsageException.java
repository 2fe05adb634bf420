package io.tallystick.cli.terminal;

/// What the user asked for cannot be done as asked.
public final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  public UsageException(String message) {
    super(message);
  }
}
