package io.tallystick.storage.stream;

import java.util.Locale;

/// Stored bytes that should be good and are not. Never retried: the shard stops, or, for a single
/// payload, that read fails and the rest lives.
public final class CorruptStreamException extends Exception {
  private static final long serialVersionUID = 1;

  private final String file;
  private final long offset;
  private final String detail;

  /// @param offset in bytes from the start of `file`
  public CorruptStreamException(String file, long offset, String message) {
    super(String.format(Locale.ROOT, "%s at %d: %s", file, offset, message));
    this.file = file;
    this.offset = offset;
    this.detail = message;
  }

  /// @param cause what reading them failed with
  public CorruptStreamException(String file, long offset, String message, Throwable cause) {
    this(file, offset, message);
    initCause(cause);
  }

  /// The same damage, for a reader who asked for something larger that it lies in.
  public CorruptStreamException within(String larger) {
    return new CorruptStreamException(file, offset, larger + ": " + detail, this);
  }

  public String file() {
    return file;
  }

  public long offset() {
    return offset;
  }
}
