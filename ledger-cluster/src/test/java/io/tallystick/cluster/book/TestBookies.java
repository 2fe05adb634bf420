package io.tallystick.cluster.book;

import io.tallystick.cluster.zoo.TestZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/// Bookies and a ZooKeeper in this process, on loopback, with files in one folder. A bookie that
/// was stopped comes back with its files.
public final class TestBookies implements AutoCloseable {
  private final Path folder;
  private final TestZooKeeper zooKeeper;
  private final Map<String, String> further;
  private final Duration turnover;
  private final Map<Integer, Bookie> running = new HashMap<>();

  private TestBookies(
      Path folder, TestZooKeeper zooKeeper, Map<String, String> further, Duration turnover) {
    this.folder = folder;
    this.zooKeeper = zooKeeper;
    this.further = further;
    this.turnover = turnover;
  }

  public static TestBookies start(Path folder, int bookies) throws Exception {
    return start(folder, bookies, Map.of(), Duration.ofHours(1));
  }

  /// With settings of BookKeeper, and how often files of the journal are looked at.
  public static TestBookies start(
      Path folder, int bookies, Map<String, String> further, Duration turnover) throws Exception {
    TestZooKeeper zooKeeper = TestZooKeeper.start(folder.resolve("zookeeper"));
    TestBookies all = new TestBookies(folder, zooKeeper, further, turnover);
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
    Map<String, String> settings = new HashMap<>(further);
    settings.put("diskUsageThreshold", "0.999");
    settings.put("diskUsageWarnThreshold", "0.998");
    settings.put("autoRecoveryDaemonEnabled", "false"); // else it fences when a bookie has gone
    running.put(
        number,
        Bookie.start(
            new Bookie.Settings(
                metadata(), "bookie-" + number, folder(number), "127.0.0.1", 0, settings),
            turnover));
  }

  /// Of a bookie's files.
  public Path folder(int number) {
    return folder.resolve("bookie-" + number);
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
