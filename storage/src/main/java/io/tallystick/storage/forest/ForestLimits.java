package io.tallystick.storage.forest;

import java.util.Locale;

/// Limits of what the states of a shard may take. Reaches no stored format.
///
/// @param cacheBytes of memory for nodes that were read or written
/// @param unsavedBytesMax of memory for nodes that wait for a savepoint; with more of them one is
///   due
/// @param recentVersions versions of a state that are kept in memory until the next savepoint,
///   beside the newest
/// @param replacedBytesMax of memory for nodes that only those have; with more of them the oldest
///   goes
/// @param fileEntriesMin entries of a closed partition that is worth a file of its own
/// @param saved the versions that savepoints keep
public record ForestLimits(
    long cacheBytes,
    long unsavedBytesMax,
    int recentVersions,
    long replacedBytesMax,
    long fileEntriesMin,
    VersionLimits saved) {
  public static final ForestLimits DEFAULT =
      new ForestLimits(32L << 20, 64L << 20, 8, 8L << 20, 1 << 16, VersionLimits.DEFAULT);

  public ForestLimits {
    if (cacheBytes < 0
        || unsavedBytesMax < 1
        || recentVersions < 0
        || replacedBytesMax < 0
        || fileEntriesMin < 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "limits %d, %d, %d, %d, %d out of range",
              cacheBytes,
              unsavedBytesMax,
              recentVersions,
              replacedBytesMax,
              fileEntriesMin));
    }
  }

  /// The same with another cache.
  public ForestLimits withCacheBytes(long bytes) {
    return new ForestLimits(
        bytes, unsavedBytesMax, recentVersions, replacedBytesMax, fileEntriesMin, saved);
  }

  /// The same but for the versions that savepoints keep.
  public ForestLimits with(VersionLimits versions) {
    return new ForestLimits(
        cacheBytes, unsavedBytesMax, recentVersions, replacedBytesMax, fileEntriesMin, versions);
  }
}
