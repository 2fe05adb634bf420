package io.tallystick.server.keys;

/// The service's keys are missing or differ from the recorded ones; an operator must restore them.
public final class ServiceKeysException extends Exception {
  private static final long serialVersionUID = 1;

  public ServiceKeysException(String message) {
    super(message);
  }

  public ServiceKeysException(String message, Throwable cause) {
    super(message, cause);
  }
}
