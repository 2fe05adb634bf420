package io.tallystick.storage.stream;

import java.io.IOException;

/// A writer with a higher epoch has opened the stream; this writer must stop.
public final class StreamFencedException extends IOException {
  private static final long serialVersionUID = 1;

  public StreamFencedException(String message) {
    super(message);
  }
}
