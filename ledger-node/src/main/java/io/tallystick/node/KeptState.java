package io.tallystick.node;

import io.tallystick.model.LedgerId;

/// The versions of a ledger's state that savepoints keep.
///
/// @param newestHeight of the newest sealed block
/// @param oldestHeight from which block on the state can be read
/// @param olderVersions that are kept beside the newest
/// @param olderBytes of slots and files that they alone take
/// @param versionsMax the most that are kept beside the newest
/// @param bytesMax the most bytes that they alone may take; {@link #AS_NEWEST}
public record KeptState(
    LedgerId ledger,
    long newestHeight,
    long oldestHeight,
    int olderVersions,
    long olderBytes,
    int versionsMax,
    long bytesMax) {
  /// As `bytesMax`: as many as the newest version takes.
  public static final long AS_NEWEST = -1;
}
