package io.tallystick.cluster.book;

import io.tallystick.cluster.zoo.TestZooKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;

/// Bookies and a ZooKeeper in this process, on loopback, with files in one folder. A bookie that
/// was stopped comes back with its files.
public final class TestBookies implements AutoCloseable {
  private final Path folder;
  private final TestZooKeeper zooKeeper;
  private final Map<Integer, EmbeddedServer> running = new HashMap<>();

  private TestBookies(Path folder, TestZooKeeper zooKeeper) {
    this.folder = folder;
    this.zooKeeper = zooKeeper;
  }

  public static TestBookies start(Path folder, int bookies) throws Exception {
    TestZooKeeper zooKeeper = TestZooKeeper.start(folder.resolve("zookeeper"));
    TestBookies all = new TestBookies(folder, zooKeeper);
    ServerConfiguration format = new ServerConfiguration();
    format.setMetadataServiceUri(all.metadata());
    if (!BookKeeperAdmin.initNewCluster(format)) {
      throw new IOException("the metadata of BookKeeper cannot be made");
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

  public void startBookie(int number) throws Exception {
    ServerConfiguration settings = new ServerConfiguration();
    settings.setMetadataServiceUri(metadata());
    settings.setBookieId("bookie-" + number);
    settings.setBookiePort(0);
    settings.setAdvertisedAddress("127.0.0.1");
    settings.setListeningInterface("lo");
    settings.setAllowLoopback(true);
    settings.setJournalDirsName(new String[] {at("journal", number)});
    settings.setLedgerDirNames(new String[] {at("ledgers", number)});
    settings.setJournalMaxGroupWaitMSec(1);
    settings.setDiskUsageThreshold(0.999f);
    settings.setDiskUsageWarnThreshold(0.998f);
    EmbeddedServer bookie = EmbeddedServer.builder(new BookieConfiguration(settings)).build();
    bookie.getLifecycleComponentStack().start();
    running.put(number, bookie);
  }

  private String at(String what, int number) {
    return folder.resolve(what + "-" + number).toString();
  }

  public void stopBookie(int number) {
    EmbeddedServer bookie = running.remove(number);
    if (bookie == null) {
      throw new IllegalStateException("bookie " + number + " does not run");
    }
    bookie.getLifecycleComponentStack().close();
  }

  @Override
  public void close() throws Exception {
    for (EmbeddedServer bookie : running.values()) {
      bookie.getLifecycleComponentStack().close();
    }
    zooKeeper.close();
  }
}
