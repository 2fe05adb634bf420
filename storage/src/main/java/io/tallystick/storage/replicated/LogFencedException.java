package io.tallystick.storage.replicated;

import java.io.IOException;

/// Someone has recovered the log, or begun to: nothing is confirmed to its writer any more.
public final class LogFencedException extends IOException {
  private static final long serialVersionUID = 1;

  public LogFencedException(String message) {
    super(message);
  }

  public LogFencedException(String message, Throwable cause) {
    super(message, cause);
  }
}
