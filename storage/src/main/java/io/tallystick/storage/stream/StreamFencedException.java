package io.tallystick.storage.stream;

import java.io.IOException;

/// Somebody with a higher epoch took the stream over (or already had): this writer must stop.
public final class StreamFencedException extends IOException {
  private static final long serialVersionUID = 1;

  public StreamFencedException(String message) {
    super(message);
  }
}
