package io.tallystick.node;

import java.io.IOException;

/// A node with all it stands on, opened by this process and closed by it.
public interface HostedNode extends AutoCloseable {
  LedgerNode node();

  /// Drains and closes the node, then what it stands on.
  @Override
  void close() throws IOException;
}
