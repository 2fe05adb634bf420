package io.tallystick.storage.replicated;

import io.tallystick.cluster.book.BookKeeperLogs;
import io.tallystick.cluster.book.BookKeeperSettings;
import io.tallystick.cluster.book.TestBookies;
import io.tallystick.cluster.zoo.ZooKeeperCoordination;
import io.tallystick.storage.framing.FrameLocations;
import io.tallystick.storage.stream.Location;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.cluster.Steps;
import io.tallystick.testkit.contract.StreamStoreContract;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/// On three bookies and a ZooKeeper, in this process.
class BookKeeperStreamStoreTest extends StreamStoreContract {
  private static final ReplicatedSettings SETTINGS =
      new ReplicatedSettings(2048, Long.MAX_VALUE, 1000, 2048);

  private static TestBookies bookies;
  private static BookKeeperLogs logs;
  private static CuratorFramework curator;
  private static Coordination coordination;
  private static int clusters;

  private final SplittableRandom random = new SplittableRandom(20_261_128);
  private final SteppedLogs.Bent bent = new SteppedLogs.Bent();
  private final ClusterPaths paths = new ClusterPaths("cluster-" + clusters++);
  private int opened;

  private static final class DiedException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    bookies = TestBookies.start(folder, 3);
    logs =
        BookKeeperLogs.connect(
            new BookKeeperSettings(
                bookies.metadata(),
                Duration.ofSeconds(5),
                SteppedLogs.LAST_CONFIRMED_EVERY,
                Map.of()));
    curator = bookies.zooKeeper().connect();
    coordination = new ZooKeeperCoordination(curator);
  }

  @AfterAll
  static void stop() throws Exception {
    curator.close();
    logs.close();
    bookies.close();
  }

  @Override
  protected StreamStore open() {
    return open(Steps.NONE);
  }

  private StreamStore open(Steps steps) {
    String name = "server-" + opened++;
    ReplicatedLogs itsLogs = new SteppedLogs(logs, steps, bent);
    Coordination its = new SteppedCoordination(coordination, steps);
    ShardClaims claims =
        new ShardClaims(its, paths, new ShardClaims.Server(name, name + ":1", 1), random.split());
    ReplicatedStreamStore store =
        new ReplicatedStreamStore(
            itsLogs, its, paths, claims, SETTINGS, random.split(), System::currentTimeMillis);
    return new ClaimingStreams(its, paths, claims, store, random.split());
  }

  @Override
  protected boolean dies(int operation, Work work) throws Exception {
    int[] steps = {0};
    Steps death =
        _ -> {
          if (steps[0]++ >= operation) {
            throw new DiedException();
          }
        };
    try (StreamStore store = open(death)) {
      work.run(store);
    } catch (DiedException e) {
      return true;
    }
    return false;
  }

  @Override
  protected int operationsApart() {
    return 7;
  }

  private SegmentRecord record(StreamId id, Location at) throws Exception {
    return new SegmentTable(coordination, paths, id)
        .one(FrameLocations.segment(at.frame()))
        .orElseThrow()
        .record();
  }

  private static long entry(SegmentRecord record, Location at) {
    return FrameLocations.place(at.frame()) + at.offset() / record.pieceBytes();
  }

  @Override
  protected void damage(StreamId id, Location at) throws Exception {
    SegmentRecord record = record(id, at);
    bent.damage(record.log(), entry(record, at), at.offset() % record.pieceBytes());
  }

  @Override
  protected void tear(StreamId id, Location from) throws Exception {
    SegmentRecord record = record(id, from);
    bent.tear(record.log(), entry(record, from));
  }
}
