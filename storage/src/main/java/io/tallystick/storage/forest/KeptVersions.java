package io.tallystick.storage.forest;

import java.util.List;

/// The older versions of a state that savepoints keep.
///
/// @param oldestHeight that of the oldest: of the block that left it
/// @param olderCount beside the newest
/// @param olderBytes of slots and files that those alone take
/// @param limits of the shard
/// @param own limits of the strand
public record KeptVersions(
    long oldestHeight, int olderCount, long olderBytes, VersionLimits limits, OwnLimits own) {
  /// @param newestHeight of a state that has none saved
  static KeptVersions of(
      SavedVersions saved, long newestHeight, VersionLimits limits, OwnLimits own) {
    List<SavedList.Saved> versions = saved.versions();
    return versions.isEmpty()
        ? new KeptVersions(newestHeight, 0, 0, limits, own)
        : new KeptVersions(
            versions.getFirst().height(), versions.size() - 1, saved.olderBytes(), limits, own);
  }
}
