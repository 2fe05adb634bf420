package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Knows from elsewhere what a clue was at the last savepoint: a row that is lost, or that of an
/// earlier savepoint, has no mark of its own, and what was appended to it would be believed.
@FunctionalInterface
public interface HeadWitness {
  /// Believes every row.
  HeadWitness NONE = (_, _, _, _) -> {};

  /// Called once for each head that an append finds in a row or not at all, before it is appended
  /// to.
  ///
  /// @param key the clue's in the trie, the Keccak-256 of its id
  /// @param count of the clue's entries as the row says; 0 if there is none
  /// @param root of the tree over their leaf hashes
  /// @throws CorruptStreamException if it was something else
  void check(Digest key, long count, Digest root, long deletedJsn)
      throws IOException, CorruptStreamException;
}
