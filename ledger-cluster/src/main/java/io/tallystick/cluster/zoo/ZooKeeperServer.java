package io.tallystick.cluster.zoo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A server of Apache ZooKeeper in this process: alone, or one of an ensemble, if its settings name
/// the others.
public final class ZooKeeperServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperServer.class);
  private static final long START_MILLIS = 60_000;
  private static final int ASK_MILLIS_MAX = 2_000;
  private static final long CLOSE_MILLIS_MAX = 10_000;
  private static final String ANY_ADDRESS = "0.0.0.0";

  /// A question that each server of ZooKeeper takes, and how the answer of one begins that serves.
  private static final String ASKED = "srvr";

  private static final String SERVES = "Zookeeper version";

  private final ZooKeeperServerEmbedded server;
  private final String target;

  private ZooKeeperServer(ZooKeeperServerEmbedded server, String target) {
    this.server = server;
    this.target = target;
  }

  /// @param data folder of its snapshots and its log
  /// @param port for clients; 0 for a free one
  /// @param ensemble of which it is one; empty: it is alone
  /// @param ensembleChanged whether it may have written its data in another ensemble: no server of
  ///   that one runs any more
  /// @param further settings of ZooKeeper by their names in its `zoo.cfg`; they come before all
  ///   others
  /// @param atFailure what becomes of the process when ZooKeeper cannot go on
  /// @throws IOException if it cannot start: the message says why, in ZooKeeper's words; also if
  ///   its data is of another server, or of another ensemble
  public static ZooKeeperServer start(
      Path data,
      String address,
      int port,
      Optional<ZooKeeperEnsemble> ensemble,
      boolean ensembleChanged,
      Map<String, String> further,
      ExitHandler atFailure)
      throws IOException {
    Path snapshots = data.resolve("snapshots");
    Properties settings = new Properties();
    settings.setProperty("dataDir", snapshots.toString());
    settings.setProperty("dataLogDir", data.resolve("log").toString());
    settings.setProperty("clientPortAddress", address);
    settings.setProperty("clientPort", Integer.toString(port));
    settings.setProperty("tickTime", "1000");
    settings.setProperty("maxClientCnxns", "0");
    settings.setProperty("admin.enableServer", "false");
    settings.setProperty("autopurge.snapRetainCount", "3");
    settings.setProperty("autopurge.purgeInterval", "1");
    ensemble.ifPresent(its -> settings.putAll(its.settings(address.equals(ANY_ADDRESS))));
    settings.putAll(further);
    Files.createDirectories(data);
    if (ensemble.isPresent()) {
      ensemble.get().keepNumber(snapshots);
    }
    List<String> hosts = ensemble.map(ZooKeeperEnsemble::hosts).orElse(List.of());
    EnsembleRecord.keep(snapshots, hosts, ensembleChanged);
    try {
      ZooKeeperServerEmbedded server =
          ZooKeeperServerEmbedded.builder()
              .baseDir(data)
              .configuration(settings)
              .exitHandler(atFailure)
              .build();
      server.start(START_MILLIS);
      return new ZooKeeperServer(server, server.getConnectionString());
    } catch (Exception e) { // ZooKeeper declares no narrower one
      throw new IOException("ZooKeeper cannot start: " + e, e);
    }
  }

  /// `HOST:PORT` for clients.
  public String target() {
    return target;
  }

  /// Whether it answers clients: one of an ensemble does while a majority is there.
  public boolean isServing() {
    int colon = target.lastIndexOf(':');
    String host = target.substring(0, colon);
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(ASK_MILLIS_MAX);
      socket.connect(
          new InetSocketAddress(
              host.equals(ANY_ADDRESS) ? "127.0.0.1" : host,
              Integer.parseInt(target.substring(colon + 1))),
          ASK_MILLIS_MAX);
      socket.getOutputStream().write(ASKED.getBytes(StandardCharsets.US_ASCII));
      byte[] began = socket.getInputStream().readNBytes(SERVES.length());
      return new String(began, StandardCharsets.US_ASCII).equals(SERVES);
    } catch (IOException _) {
      return false;
    }
  }

  /// Ends within {@link #CLOSE_MILLIS_MAX} ms: one that ends itself because it cannot listen waits
  /// in its own close for the thread that ended it.
  @Override
  public void close() {
    Thread closing = Thread.ofPlatform().daemon().name("zookeeper-close").start(server::close);
    try {
      if (!closing.join(Duration.ofMillis(CLOSE_MILLIS_MAX))) {
        LOG.warn("ZooKeeper did not close within {} ms", CLOSE_MILLIS_MAX);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
