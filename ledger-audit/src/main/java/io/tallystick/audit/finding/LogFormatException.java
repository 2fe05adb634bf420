package io.tallystick.audit.finding;

/// A source whose bytes are not a log: broken off, of another form, or damaged by its keeper's own
/// word. In an audit it becomes the fault of the first entry that could not be read.
public final class LogFormatException extends Exception {
  private static final long serialVersionUID = 1;

  private final FaultKind kind;

  private LogFormatException(FaultKind kind, String detail, Throwable cause) {
    super(detail, cause);
    this.kind = kind;
  }

  private LogFormatException(FaultKind kind, String detail) {
    super(detail);
    this.kind = kind;
  }

  public static LogFormatException truncated(String detail) {
    return new LogFormatException(FaultKind.LOG_TRUNCATED, detail);
  }

  /// The keeper of the log says that it cannot tell this entry any more.
  ///
  /// @param detail its words
  public static LogFormatException damaged(String detail, Throwable cause) {
    return new LogFormatException(FaultKind.LOG_DAMAGED, detail, cause);
  }

  public static LogFormatException damaged(String detail) {
    return new LogFormatException(FaultKind.LOG_DAMAGED, detail);
  }

  public static LogFormatException malformed(String detail) {
    return new LogFormatException(FaultKind.LOG_MALFORMED, detail);
  }

  public static LogFormatException malformed(Throwable cause) {
    return new LogFormatException(
        FaultKind.LOG_MALFORMED, String.valueOf(cause.getMessage()), cause);
  }

  /// `LOG_TRUNCATED`, `LOG_MALFORMED` or `LOG_DAMAGED`.
  public FaultKind kind() {
    return kind;
  }
}
