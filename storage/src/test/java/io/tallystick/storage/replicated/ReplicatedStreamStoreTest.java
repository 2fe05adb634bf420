package io.tallystick.storage.replicated;

import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.cluster.TwinCluster;
import io.tallystick.testkit.contract.StreamStoreContract;

/// On twins of BookKeeper and ZooKeeper in which nothing goes wrong but that a process dies.
class ReplicatedStreamStoreTest extends StreamStoreContract {
  private final TwinCluster cluster = new TwinCluster(20_261_128);
  private int opened;

  @Override
  protected StreamStore open() {
    return open(Steps.NONE);
  }

  private StreamStore open(Steps steps) {
    return new ClaimingStore(
        cluster, cluster.server("server-" + opened++, steps, TwinCluster.SMALL));
  }

  @Override
  protected boolean dies(int operation, Work work) throws Exception {
    Death death = new Death(operation);
    try (StreamStore store = open(death)) {
      work.run(store);
    } catch (Death.DiedException e) {
      return true;
    }
    return false;
  }

  @Override
  protected int operationsApart() {
    return 1;
  }

  private SegmentRecord record(StreamId id, Location at) throws Exception {
    TwinCluster.Server server = cluster.server("anyone", Steps.NONE, TwinCluster.SMALL);
    return new SegmentTable(server.coordination(), cluster.paths(), id)
        .one(FrameLocations.segment(at.frame()))
        .orElseThrow()
        .record();
  }

  private static int entry(SegmentRecord record, Location at) {
    return (int) FrameLocations.place(at.frame()) + at.offset() / record.pieceBytes();
  }

  @Override
  protected void damage(StreamId id, Location at) throws Exception {
    SegmentRecord record = record(id, at);
    cluster.logs().damage(record.log(), entry(record, at), at.offset() % record.pieceBytes());
  }

  @Override
  protected void tear(StreamId id, Location from) throws Exception {
    SegmentRecord record = record(id, from);
    cluster.logs().tear(record.log(), entry(record, from));
  }
}
