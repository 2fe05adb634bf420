package io.tallystick.storage.replicated;

import java.io.IOException;

/// Too few machines are there for what was asked. It works again when they are back.
public final class QuorumUnavailableException extends IOException {
  private static final long serialVersionUID = 1;

  public QuorumUnavailableException(String message) {
    super(message);
  }

  public QuorumUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
