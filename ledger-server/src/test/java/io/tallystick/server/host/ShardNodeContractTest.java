package io.tallystick.server.host;

import io.tallystick.crypto.Signatures;
import io.tallystick.node.LedgerNode;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import io.tallystick.testkit.node.LedgerNodeContract;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// Goal: a shard in this process is a node as the contract has it.
class ShardNodeContractTest extends LedgerNodeContract {
  private TestNode service;

  @BeforeEach
  void open() throws Exception {
    service = new TestNode(new InMemoryDisk(), new InMemoryMetaStore());
  }

  @AfterEach
  void close() throws Exception {
    service.close();
  }

  @Override
  protected LedgerNode node() {
    return service.node;
  }

  @Override
  protected Signatures signatures() {
    return TestNode.SIGNATURES;
  }
}
