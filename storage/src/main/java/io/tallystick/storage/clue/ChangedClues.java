package io.tallystick.storage.clue;

import io.tallystick.model.Digest;

/// Receives the clues that changed.
@FunctionalInterface
public interface ChangedClues {
  /// @param key the clue's in the trie, the Keccak-256 of its id
  /// @param count of the clue's entries
  /// @param root of the RFC 9162 tree over their leaf hashes
  /// @param deletedJsn that of the newest entry if it deleted the clue, else 0
  void clue(Digest key, long count, Digest root, long deletedJsn);
}
