package io.tallystick.storage.replicated;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A change was sent and its answer was lost: it may be done, not be done, or be done later.
public final class OutcomeUnknownException extends IOException {
  private static final long serialVersionUID = 1;

  public OutcomeUnknownException(String message) {
    super(message);
  }

  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
