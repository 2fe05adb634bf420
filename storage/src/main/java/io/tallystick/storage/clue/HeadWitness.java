package io.tallystick.storage.clue;

import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Knows a clue's state at the last savepoint from another source. A lost row, or a row of an
/// earlier savepoint, looks like a good one; without the witness an append would build on it.
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
