package io.tallystick.storage.patricia;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Reads nodes from where they are kept. Thread-safe.
@FunctionalInterface
interface NodeLoader {
  /// The node that `stored` stands for, whose children stand for themselves.
  ///
  /// @param depth nibbles of the key above it
  /// @throws CorruptStreamException if what is there does not have its hash
  Node load(StoredNode stored, int depth) throws IOException, CorruptStreamException;
}
