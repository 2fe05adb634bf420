package io.tallystick.storage.replicated;

import java.io.IOException;

/// The log is deleted.
public final class NoSuchLogException extends IOException {
  private static final long serialVersionUID = 1;

  public NoSuchLogException(String message) {
    super(message);
  }

  public NoSuchLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
