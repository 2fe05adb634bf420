package io.tallystick.audit.source;

import io.tallystick.audit.finding.LogFormatException;
import io.tallystick.audit.finding.UnreachableException;
import java.io.IOException;
import java.util.Optional;

/// With what a log began when somebody started to read it. A source is read in many calls, and a
/// purge or a recall that comes into force between two of them makes a right log look wrong. So
/// whoever finds a fault asks whether the log still begins there.
public final class StartWatch {
  private final LogSource source;
  private final Optional<PurgedStart> began;

  private StartWatch(LogSource source, Optional<PurgedStart> began) {
    this.source = source;
    this.began = began;
  }

  public static StartWatch begin(LogSource source) throws IOException {
    return new StartWatch(source, start(source));
  }

  /// Empty also if what the source says cannot be read, which its reader will find.
  private static Optional<PurgedStart> start(LogSource source) throws IOException {
    try {
      return source.purged();
    } catch (LogFormatException _) {
      return Optional.empty();
    }
  }

  /// @throws UnreachableException if the log begins elsewhere now: nothing is known then
  public void check() throws IOException {
    if (!start(source).equals(began)) {
      throw new UnreachableException(
          "a purge or a recall came into force while the log was read; read it again");
    }
  }
}
