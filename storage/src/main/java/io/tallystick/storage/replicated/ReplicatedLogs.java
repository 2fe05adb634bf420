package io.tallystick.storage.replicated;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.List;

/// Logs that several machines hold: what BookKeeper calls ledgers. A log has one writer, its
/// creator, and is closed once and for good, by its writer or by whoever {@linkplain #recover
/// recovers} it. Calls block. An `IOException` of a call that changes something means that nothing
/// is known: it may be done, or be done later. Thread-safe.
public interface ReplicatedLogs {
  /// A new, empty log.
  ///
  /// @param label who made it and for what; never changed
  /// @throws QuorumUnavailableException if too few machines take new logs; none was made
  LogWriter create(Quorum quorum, Bytes label) throws IOException;

  /// Opens a log for reading and disturbs its writer in nothing.
  ///
  /// @throws NoSuchLogException if it is deleted
  EntryReader open(long log) throws IOException;

  /// Fences the log and closes it: no entry is confirmed to its writer any more, and every entry
  /// that was confirmed is in it. Entries that were not may be in it too. Autorecovery does the
  /// same to any open log whose machine was lost.
  ///
  /// @return a reader of the closed log
  /// @throws NoSuchLogException if it is deleted
  /// @throws QuorumUnavailableException if too few of its machines answer; it may be fenced
  EntryReader recover(long log) throws IOException;

  /// Deletes a log; one that is not there is no error.
  void delete(long log) throws IOException;

  /// All logs that there are.
  List<Labelled> list() throws IOException;

  /// How many machines take new logs at the moment.
  int machines() throws IOException;

  /// A log and its label.
  record Labelled(long log, Bytes label) {}
}
