package io.tallystick.storage.replicated;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Writes a log. One thread uses it. After a call or an add has failed, nothing more is confirmed
/// to this writer, and it must not be closed: what the log holds is known only to whoever recovers
/// it.
public interface LogWriter {
  /// The log's number, never used for another one.
  long log();

  /// Hands over the next entry; entries are numbered from 0 without gaps. Several may be in flight;
  /// an entry is confirmed after all before it.
  ///
  /// @param entry from its position to its limit; the caller must not change it until the entry is
  ///   confirmed. Who sends it to further machines after that needs a copy
  /// @throws LogFencedException if it is known already that the log is fenced
  PendingAdd add(ByteBuffer entry) throws IOException;

  /// Whether an entry may have fewer copies than it should, because a machine was down.
  boolean isThin();

  /// Closes the log behind its last confirmed entry. Nothing may be in flight.
  ///
  /// @throws LogFencedException if another has fenced or closed it
  void close() throws IOException;
}
