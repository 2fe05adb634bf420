package io.tallystick.server.keys;

import io.tallystick.model.Digest;
import java.io.IOException;
import java.util.List;

/// The pairs that a cluster lists: each of its servers holds all of them, in a folder of its own.
@FunctionalInterface
public interface ListedPairs {
  /// Kids of their receipt keys, the one that new ledgers name last.
  ///
  /// @throws IOException if the list cannot be read now
  List<Digest> receiptKids() throws IOException;
}
