package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// A way to bring a batch into the nodes of a trie by many workers at once; hashing comes after.
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.
interface NodeUpdate {
  /// Sets every value of the edit's batch, which is arranged.
  void update(Edit edit, Workers workers) throws IOException, CorruptStreamException;
}
