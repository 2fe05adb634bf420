package io.tallystick.cluster.book;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.client.BookKeeperAdmin;
import org.apache.bookkeeper.common.component.Lifecycle;
import org.apache.bookkeeper.common.component.LifecycleComponentStack;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.server.EmbeddedServer;
import org.apache.bookkeeper.server.conf.BookieConfiguration;

/// A bookie of Apache BookKeeper in this process, with the settings that Tallystick needs: an entry
/// is forced before it is confirmed, and the bytes of a deleted ledger leave the disks.
public final class Bookie implements AutoCloseable {
  private static final long GC_MILLIS = 600_000;
  private static final long JOURNAL_MEGABYTES = 64;

  /// After so long without a bookie what it held is copied to others.
  private static final int LOST_SECONDS = 600;

  /// Deleted bytes leave the journal within twice as long.
  private static final Duration TURNOVER = Duration.ofMinutes(30);

  private final EmbeddedServer server;
  private final LifecycleComponentStack parts;
  private final JournalTurnover turnover;

  private Bookie(EmbeddedServer server, JournalTurnover turnover) {
    this.server = server;
    this.parts = server.getLifecycleComponentStack();
    this.turnover = turnover;
  }

  /// @param metadata where BookKeeper keeps what it knows of its ledgers, as in
  ///   `zk+hierarchical://127.0.0.1:2181/ledgers`
  /// @param id unique in the cluster; the bookie's files belong to it for ever
  /// @param data folder of its journal and its ledgers
  /// @param address on which it listens and at which others find it
  /// @param port for the protocol of BookKeeper; 0 for a free one
  /// @param further settings of BookKeeper by their names there; they come before all others
  public record Settings(
      String metadata,
      String id,
      Path data,
      String address,
      int port,
      Map<String, String> further) {
    public Settings {
      further = Map.copyOf(further);
    }

    private ServerConfiguration toServer() throws IOException {
      ServerConfiguration server = new ServerConfiguration();
      server.setMetadataServiceUri(metadata);
      server.setBookieId(id);
      server.setBookiePort(port);
      server.setAdvertisedAddress(address);
      server.setAllowLoopback(true);
      server.setListeningInterface(interfaceOf(address)); // else it listens on all
      server.setJournalDirsName(new String[] {data.resolve("journal").toString()});
      server.setLedgerDirNames(new String[] {data.resolve("ledgers").toString()});
      server.setJournalSyncData(true);
      server.setJournalMaxGroupWaitMSec(1);
      server.setMaxJournalSizeMB(JOURNAL_MEGABYTES);
      server.setMaxBackupJournals(0); // a journal that is not needed has bytes that must go
      server.setEntryLogPerLedgerEnabled(true); // else a log is kept as long as most of it is live
      server.setGcWaitTime(GC_MILLIS);
      server.setAutoRecoveryDaemonEnabled(true);
      server.setLostBookieRecoveryDelay(LOST_SECONDS);
      further.forEach(server::setProperty);
      return server;
    }

    private static String interfaceOf(String address) throws IOException {
      NetworkInterface its = NetworkInterface.getByInetAddress(InetAddress.getByName(address));
      if (its == null) {
        throw new IOException(address + " is no address of this machine");
      }
      return its.getName();
    }
  }

  /// Makes the metadata of a BookKeeper cluster.
  ///
  /// @return false if it is there
  /// @throws IOException if the metadata service cannot be reached
  public static boolean found(String metadata) throws IOException {
    ServerConfiguration server = new ServerConfiguration();
    server.setMetadataServiceUri(metadata);
    try {
      return BookKeeperAdmin.initNewCluster(server);
    } catch (Exception e) { // BookKeeper declares no narrower one
      throw new IOException("the metadata of BookKeeper cannot be made at " + metadata, e);
    }
  }

  /// Starts it; it takes entries on return.
  ///
  /// @throws IOException if it cannot: the message says why, in BookKeeper's words
  public static Bookie start(Settings settings) throws IOException {
    return start(settings, TURNOVER);
  }

  /// @param turnover how often a file of the journal is looked at, to be left behind
  static Bookie start(Settings settings, Duration turnover) throws IOException {
    try {
      ServerConfiguration configuration = settings.toServer();
      EmbeddedServer server =
          EmbeddedServer.builder(new BookieConfiguration(configuration)).build();
      LifecycleComponentStack parts = server.getLifecycleComponentStack();
      parts.start();
      BookieImpl bookie = (BookieImpl) server.getBookieService().getServer().getBookie();
      long journalBytes = configuration.getMaxJournalSizeMB() << 20;
      return new Bookie(server, new JournalTurnover(bookie, journalBytes).start(turnover));
    } catch (Exception e) { // BookKeeper declares no narrower one
      throw new IOException("bookie " + settings.id() + " cannot start: " + e, e);
    }
  }

  /// Whether it has neither been closed nor ended itself.
  public boolean isRunning() {
    return parts.lifecycleState() == Lifecycle.State.STARTED;
  }

  /// Whether it runs and takes entries: one whose disks are nearly full only reads.
  public boolean isWritable() {
    BookieServer its = server.getBookieService().getServer();
    return isRunning() && its.isRunning() && !its.getBookie().isReadOnly();
  }

  @Override
  public void close() {
    turnover.close();
    parts.close();
  }
}
