package io.tallystick.cluster.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.apache.zookeeper.server.embedded.ExitHandler;
import org.apache.zookeeper.server.embedded.ZooKeeperServerEmbedded;

/// A server of Apache ZooKeeper in this process: alone, or one of an ensemble, if its settings name
/// the others.
public final class ZooKeeperServer implements AutoCloseable {
  private static final long START_MILLIS = 60_000;

  private final ZooKeeperServerEmbedded server;
  private final String target;

  private ZooKeeperServer(ZooKeeperServerEmbedded server, String target) {
    this.server = server;
    this.target = target;
  }

  /// @param data folder of its snapshots and its log
  /// @param port for clients; 0 for a free one
  /// @param further settings of ZooKeeper by their names in its `zoo.cfg`; they come before all
  ///   others
  /// @param atFailure what becomes of the process when ZooKeeper cannot go on
  /// @throws IOException if it cannot start: the message says why, in ZooKeeper's words
  public static ZooKeeperServer start(
      Path data, String address, int port, Map<String, String> further, ExitHandler atFailure)
      throws IOException {
    Properties settings = new Properties();
    settings.setProperty("dataDir", data.resolve("snapshots").toString());
    settings.setProperty("dataLogDir", data.resolve("log").toString());
    settings.setProperty("clientPortAddress", address);
    settings.setProperty("clientPort", Integer.toString(port));
    settings.setProperty("tickTime", "1000");
    settings.setProperty("maxClientCnxns", "0");
    settings.setProperty("admin.enableServer", "false");
    settings.setProperty("autopurge.snapRetainCount", "3");
    settings.setProperty("autopurge.purgeInterval", "1");
    settings.putAll(further);
    Files.createDirectories(data);
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

  @Override
  public void close() {
    server.close();
  }
}
