package io.tallystick.server.note;

import io.tallystick.model.RequestRejectedException;

/// Has decisions of notes taken and made durable. Thread-safe; not for the commit thread.
public interface NoteWriter {
  /// Waits until the notes are durable.
  ///
  /// @param valueBytes of what it writes, about; 0 if it only deletes, which a full disk allows
  /// @throws RequestRejectedException the decision's; `RATE_LIMITED`, `STORAGE_FULL`; `UNAVAILABLE`
  ///   if none is taken, or if the shard failed meanwhile: whether it was taken is not known then
  <R> R write(long valueBytes, NoteDecision<R> decision) throws RequestRejectedException;
}
