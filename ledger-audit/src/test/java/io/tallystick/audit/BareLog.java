package io.tallystick.audit;

import io.tallystick.audit.finding.LogFormatException;
import java.io.IOException;

/// A log with nothing beside it.
public record BareLog(Opening opening) implements LoneLog {
  /// Where its readers come from.
  @FunctionalInterface
  public interface Opening {
    LogReader open() throws IOException, LogFormatException;
  }

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return opening.open();
  }
}
