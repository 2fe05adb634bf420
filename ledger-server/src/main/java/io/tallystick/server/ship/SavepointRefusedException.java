package io.tallystick.server.ship;

/// A shipped savepoint that no shard can be made of.
public final class SavepointRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// What is wrong with it.
  public enum Reason {
    /// None was shipped.
    NONE,
    /// Something that it names is not there.
    MISSING,
    /// Bytes are not those that it was named by, or do not decode.
    DAMAGED,
    /// Its format is newer than what this software knows.
    NEWER_FORMAT,
    /// It is another shard's.
    FOREIGN
  }

  private final Reason reason;

  public SavepointRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public SavepointRefusedException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
