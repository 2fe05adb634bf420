package io.tallystick.audit;

/// A source whose bytes are not a log: broken off, or of another form. In an audit it becomes the
/// fault of the first entry that could not be read.
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

  public static LogFormatException malformed(String detail) {
    return new LogFormatException(FaultKind.LOG_MALFORMED, detail);
  }

  public static LogFormatException malformed(Throwable cause) {
    return new LogFormatException(
        FaultKind.LOG_MALFORMED, String.valueOf(cause.getMessage()), cause);
  }

  /// `LOG_TRUNCATED` or `LOG_MALFORMED`.
  public FaultKind kind() {
    return kind;
  }
}
