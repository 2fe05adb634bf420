package io.tallystick.server.backup;

/// A backup is not restored, and why. The message names the file, key or ledger.
public final class BackupRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /// Why.
  public enum Reason {
    /// The directory to restore into has something in it.
    NOT_EMPTY,

    /// There is no manifest: no backup, or one that was not finished.
    NO_BACKUP,

    /// Written by newer software.
    NEWER_FORMAT,

    /// A file of the backup is missing, or not the one that was written.
    DAMAGED,

    /// The keys that were given are not the service's.
    KEYS,

    /// Heads above its sizes may have been signed, and the operator has not accepted that.
    ROLLBACK,

    /// The same, of ledgers whose heads witnesses have cosigned.
    WITNESSED,
  }

  private final Reason reason;

  public BackupRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public BackupRefusedException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
