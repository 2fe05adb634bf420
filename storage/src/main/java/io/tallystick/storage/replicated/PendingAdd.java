package io.tallystick.storage.replicated;

import java.io.IOException;

/// An entry handed over and on its way to the machines.
public interface PendingAdd {
  boolean isDone();

  /// Waits until the entry and all before it are confirmed. An interrupt is kept for later: the
  /// caller cannot go on before it knows.
  ///
  /// @return its number
  /// @throws LogFencedException if the log was fenced; the entry may be in it all the same
  /// @throws QuorumUnavailableException if too few machines took it; it may be in the log all the
  ///   same
  /// @throws IOException if nothing is known, for example because the answer is late
  long await() throws IOException;
}
