package io.tallystick.node;

import java.io.IOException;

/// A node with its storage, opened and closed by this process.
public interface HostedNode extends AutoCloseable {
  LedgerNode node();

  /// For the operator of this process.
  KeptStates keptStates();

  /// Drains and closes the node, then its storage.
  @Override
  void close() throws IOException;
}
