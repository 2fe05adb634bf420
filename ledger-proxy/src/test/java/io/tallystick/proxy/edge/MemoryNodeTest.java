package io.tallystick.proxy.edge;

import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.node.LedgerNode;
import io.tallystick.testkit.node.LedgerNodeContract;

/// Goal: the tests' own node is one as the contract has it.
class MemoryNodeTest extends LedgerNodeContract {
  private final MemoryNode node = new MemoryNode();

  @Override
  protected LedgerNode node() {
    return node;
  }

  @Override
  protected Signatures signatures() {
    return SignatureProviders.best();
  }
}
