package io.tallystick.server.note;

import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import org.jspecify.annotations.Nullable;

/// What is kept in memory of the rows of one table: hears of each change once it is durable, on the
/// commit thread, or when it is replayed.
public interface NoteIndex {
  /// @throws MalformedException if it is no row of the table
  void check(Bytes key, Bytes value) throws MalformedException;

  /// @param value null if the row is gone
  /// @throws MalformedException if it is no row of the table
  void changed(Bytes key, @Nullable Bytes value) throws MalformedException;
}
