package io.tallystick.audit;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.Optional;

/// A log with nothing beside it.
record BareLog(Opening opening) implements LogSource {
  /// Where its readers come from.
  @FunctionalInterface
  interface Opening {
    LogReader open() throws IOException, LogFormatException;
  }

  @Override
  public LogReader open() throws IOException, LogFormatException {
    return opening.open();
  }

  @Override
  public Optional<Bytes> keyChain() {
    return Optional.empty();
  }

  @Override
  public Optional<Bytes> cosigned() {
    return Optional.empty();
  }
}
