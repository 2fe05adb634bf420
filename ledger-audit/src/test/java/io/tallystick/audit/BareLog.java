package io.tallystick.audit;

import java.io.IOException;

/// A log with nothing beside it.
record BareLog(Opening opening) implements LoneLog {
  /// Where its readers come from.
  @FunctionalInterface
  interface Opening {
    LogReader open() throws IOException, LogFormatException;
  }

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return opening.open();
  }
}
