package io.tallystick.node;

import java.util.OptionalInt;
import java.util.OptionalLong;

/// Older versions of a ledger's state that its operator does without.
public sealed interface StatePruning {
  /// Those that the states from a block on are not made from.
  ///
  /// @param height of a sealed block
  record Below(long height) implements StatePruning {}

  /// Those beyond limits, now and from now on. What is empty is as of any state.
  ///
  /// @param versions the most beside the newest
  /// @param bytes the most of slots and files that they alone take
  record Beyond(OptionalInt versions, OptionalLong bytes) implements StatePruning {}
}
