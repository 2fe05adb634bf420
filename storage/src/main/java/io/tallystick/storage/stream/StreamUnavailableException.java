package io.tallystick.storage.stream;

import java.io.IOException;

/// Those who keep the stream cannot be reached, or are too few. A frame that was under way may be
/// there or not; the writer is dead. The stream may be opened again later.
public final class StreamUnavailableException extends IOException {
  private static final long serialVersionUID = 1;

  public StreamUnavailableException(String message) {
    super(message);
  }

  public StreamUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
