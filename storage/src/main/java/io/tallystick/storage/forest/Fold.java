package io.tallystick.storage.forest;

/// How far the fold has come; it follows from the log and is not hashed. Source:
/// `docs/formats/forest.md`, "Fold".
///
/// @param runs whether a pass runs
/// @param passEnd number of the newest partition that the pass looks through
/// @param position index of the next entry to look at, in the oldest partition
/// @param carried entries that this pass has carried over (S)
/// @param carriedBefore entries that the pass before carried over (B)
record Fold(boolean runs, long passEnd, long position, long carried, long carriedBefore) {
  static final Fold AT_FIRST = new Fold(false, 0, 0, 0, 0);

  Fold begun(long end) {
    return new Fold(true, end, position, 0, carriedBefore);
  }

  /// After an entry was looked at.
  Fold looked(boolean carriedOver) {
    return new Fold(runs, passEnd, position + 1, carried + (carriedOver ? 1 : 0), carriedBefore);
  }

  /// After the last entry of a partition was looked at.
  Fold left(long number) {
    return number == passEnd
        ? new Fold(false, passEnd, 0, carried, carried)
        : new Fold(runs, passEnd, 0, carried, carriedBefore);
  }
}
