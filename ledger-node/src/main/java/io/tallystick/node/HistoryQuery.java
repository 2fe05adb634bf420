package io.tallystick.node;

import io.tallystick.model.Bytes;
import java.util.OptionalLong;

/// Which writes of a key are wanted, newest first.
///
/// @param size of a signed head: writes by its leaves are looked for, and proven in its tree; 0:
///   the newest
/// @param before only of journals below it; empty: of all
/// @param newer the oldest write that pages before have shown; empty: none yet
/// @param limit at most so many, at least 1
/// @param withValues whether the values are read
/// @param withStates whether it is shown, too, what the state held between the writes
public record HistoryQuery(
    Bytes key,
    long size,
    OptionalLong before,
    OptionalLong newer,
    int limit,
    boolean withValues,
    boolean withStates) {
  public HistoryQuery {
    if (limit < 1) {
      throw new IllegalArgumentException("limit " + limit);
    }
  }
}
