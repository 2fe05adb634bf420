package io.tallystick.storage.forest;

/// The answer to a question for the version of a state that a block left.
public sealed interface VersionAt {
  /// @param version the state as of the height
  record Kept(ForestVersion version) implements VersionAt {}

  /// @param version the newest that is saved and that no block above the height made. It is the
  ///   state as of the height if it has the root that was sealed there, and can be brought to it by
  ///   the operations in between otherwise
  /// @param operationsBehind to the next version, as many at most as lie in between
  /// @param isWithinReach whether these are few enough to be carried out for a reader
  record Saved(ForestVersion version, long operationsBehind, boolean isWithinReach)
      implements VersionAt {}

  /// @param oldestHeight from which on versions are kept
  record Pruned(long oldestHeight) implements VersionAt {}

  /// The version has just been dropped, or another state has taken the place of this one, and is to
  /// be asked.
  record Changed() implements VersionAt {}
}
