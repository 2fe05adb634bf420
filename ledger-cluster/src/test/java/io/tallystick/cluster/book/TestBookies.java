package io.tallystick.cluster.book;

import io.tallystick.cluster.zoo.TestZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/// Bookies and a ZooKeeper in this process, on loopback, with files in one folder. A bookie that
/// was stopped comes back with its files.
public final class TestBookies implements AutoCloseable {
  private final Path folder;
  private final TestZooKeeper zooKeeper;
  private final Map<Integer, Bookie> running = new HashMap<>();

  private TestBookies(Path folder, TestZooKeeper zooKeeper) {
    this.folder = folder;
    this.zooKeeper = zooKeeper;
  }

  public static TestBookies start(Path folder, int bookies) throws Exception {
    TestZooKeeper zooKeeper = TestZooKeeper.start(folder.resolve("zookeeper"));
    TestBookies all = new TestBookies(folder, zooKeeper);
    if (!Bookie.found(all.metadata())) {
      throw new IOException("there is a BookKeeper already");
    }
    for (int i = 0; i < bookies; i++) {
      all.startBookie(i);
    }
    return all;
  }

  public TestZooKeeper zooKeeper() {
    return zooKeeper;
  }

  public String metadata() {
    return "zk+hierarchical://" + zooKeeper.address() + "/ledgers";
  }

  public BookKeeperLogs connect() throws IOException {
    return BookKeeperLogs.connect(BookKeeperSettings.of(metadata()));
  }

  public void startBookie(int number) throws IOException {
    running.put(
        number,
        Bookie.start(
            new Bookie.Settings(
                metadata(),
                "bookie-" + number,
                folder.resolve("bookie-" + number),
                "127.0.0.1",
                0,
                Map.of(
                    "diskUsageThreshold",
                    "0.999",
                    "diskUsageWarnThreshold",
                    "0.998",
                    "autoRecoveryDaemonEnabled",
                    "false")))); // it would fence writers some time after a bookie has gone
  }

  public void stopBookie(int number) {
    Bookie bookie = running.remove(number);
    if (bookie == null) {
      throw new IllegalStateException("bookie " + number + " does not run");
    }
    bookie.close();
  }

  @Override
  public void close() {
    for (Bookie bookie : running.values()) {
      bookie.close();
    }
    zooKeeper.close();
  }
}
