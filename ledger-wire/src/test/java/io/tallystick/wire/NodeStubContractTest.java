package io.tallystick.wire;

import io.tallystick.crypto.Signatures;
import io.tallystick.node.LedgerNode;
import io.tallystick.testkit.node.LedgerNodeContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a node behind a wire is a node as the contract has it. Method: the contract over a stub of
/// a real node, with TLS on loopback.
class NodeStubContractTest extends LedgerNodeContract {
  @TempDir private Path directory;
  private WiredNode wired;
  private NodeStub stub;

  @BeforeEach
  void open() throws Exception {
    wired = new WiredNode(directory, true);
    stub = wired.stub(wired.cluster.of(WireRole.MASTER.uri(WiredNode.CLUSTER)), WireRole.MASTER);
  }

  @AfterEach
  void close() throws Exception {
    wired.close();
  }

  @Override
  protected LedgerNode node() {
    return stub;
  }

  @Override
  protected Signatures signatures() {
    return WiredNode.SIGNATURES;
  }
}
