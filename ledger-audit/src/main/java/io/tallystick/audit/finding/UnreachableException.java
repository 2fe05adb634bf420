package io.tallystick.audit.finding;

import java.io.IOException;

/// A server that is not there, or gives no answer that says anything: nothing is known then.
public final class UnreachableException extends IOException {
  private static final long serialVersionUID = 1;

  public UnreachableException(String message) {
    super(message);
  }

  public UnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
