package io.tallystick.cli;

/// What the user asked for cannot be done as asked.
final class UserErrorException extends Exception {
  private static final long serialVersionUID = 1;

  UserErrorException(String message) {
    super(message);
  }
}
