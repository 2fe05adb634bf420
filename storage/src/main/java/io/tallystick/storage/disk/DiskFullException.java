package io.tallystick.storage.disk;

import java.io.IOException;

/// No room for a write; nothing was changed. The caller stops appends and keeps serving reads.
public final class DiskFullException extends IOException {
  private static final long serialVersionUID = 1;

  public DiskFullException(String message) {
    super(message);
  }

  public DiskFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
