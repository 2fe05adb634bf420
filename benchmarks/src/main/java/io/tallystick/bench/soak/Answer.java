package io.tallystick.bench.soak;

import io.tallystick.model.Bytes;

/// What came of one attempt to append.
sealed interface Answer {
  /// @param evidence a range receipt, or the receipt of a single journal; not verified yet
  record Receipted(long firstJsn, long timeMs, boolean repeated, Bytes evidence, boolean isRange)
      implements Answer {}

  /// @param isFinal whether the same bytes will never get another answer; else they are sent again
  record Refused(String code, boolean isFinal) implements Answer {}

  /// Nothing, so that nobody knows what became of it.
  record Silent(String why) implements Answer {}
}
