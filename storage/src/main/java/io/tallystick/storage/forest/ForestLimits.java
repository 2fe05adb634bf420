package io.tallystick.storage.forest;

import java.util.Locale;

/// Limits of the memory that the states of a shard may take. Reaches no stored format.
///
/// @param cacheBytes of nodes that were read or written
/// @param unsavedBytesMax of nodes that wait for a savepoint; with more of them one is due
/// @param versionsKept older versions of a state that can be read, beside the newest
/// @param replacedBytesMax of nodes that only older versions have; with more of them the oldest
///   versions go. Above 1 MiB they go sooner, when it is half of what the newest versions use
/// @param fileEntriesMin entries of a closed partition that is worth a file of its own
public record ForestLimits(
    long cacheBytes,
    long unsavedBytesMax,
    int versionsKept,
    long replacedBytesMax,
    long fileEntriesMin) {
  /// As `replacedBytesMax`: older versions go by their number alone.
  public static final long UNLIMITED = Long.MAX_VALUE;

  public static final ForestLimits DEFAULT =
      new ForestLimits(32L << 20, 64L << 20, 64, 32L << 20, 1 << 16);

  public ForestLimits {
    if (cacheBytes < 0
        || unsavedBytesMax < 1
        || versionsKept < 0
        || replacedBytesMax < 0
        || fileEntriesMin < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "limits %d, %d, %d, %d, %d out of range",
              cacheBytes,
              unsavedBytesMax,
              versionsKept,
              replacedBytesMax,
              fileEntriesMin));
    }
  }
}
