package io.tallystick.storage.replicated;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// Reads a log. Thread-safe.
public interface EntryReader extends AutoCloseable {
  long log();

  /// Number of the last entry that is known to be confirmed; -1 for none. A writer's newest entries
  /// are known late, those of a closed log at once.
  long lastConfirmed();

  /// Whether the log is closed, so that nothing comes behind {@link #lastConfirmed}.
  boolean isClosed();

  /// Looks again how far the log goes.
  ///
  /// @throws NoSuchLogException if it is deleted
  void refresh() throws IOException;

  /// Entries that the caller knows to be confirmed: by {@link #lastConfirmed}, or because they were
  /// confirmed to a writer of its own process.
  ///
  /// @param first number of the first one
  /// @param last number of the last one, included
  /// @throws NoSuchLogException if the log is deleted
  List<LogEntry> read(long first, long last) throws IOException;

  @Override
  void close() throws IOException;

  /// One entry.
  ///
  /// @param lengthAfter bytes of all entries of the log up to and including this one
  /// @param bytes of the entry, read-only
  record LogEntry(long number, long lengthAfter, ByteBuffer bytes) {}
}
