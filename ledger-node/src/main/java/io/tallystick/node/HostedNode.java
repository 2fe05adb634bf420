package io.tallystick.node;

import java.io.IOException;
import java.util.Optional;

/// A node with its storage, opened and closed by this process.
public interface HostedNode extends AutoCloseable {
  LedgerNode node();

  /// For the operator of this process.
  KeptStates keptStates();

  /// Makes backups, if the node keeps anything that can be copied.
  default Optional<Backups> backups() {
    return Optional.empty();
  }

  /// Drains and closes the node, then its storage.
  @Override
  void close() throws IOException;
}
