package io.tallystick.cluster;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.cluster.zoo.ZooKeeperCoordination;
import io.tallystick.master.identity.ClusterIdentity;
import io.tallystick.master.identity.NoClusterException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;

/// A process's connection to ZooKeeper, and its cluster's paths there.
public final class ClusterConnection implements AutoCloseable {
  /// After so long without a sign of life a server counts as gone.
  public static final int SESSION_MILLIS = 6_000;

  private static final int CONNECT_MILLIS = 5_000;
  private static final int CONNECTED_SECONDS = 30;

  private final CuratorFramework curator;
  private final Coordination coordination;
  private final ClusterPaths paths;

  private ClusterConnection(CuratorFramework curator, ClusterPaths paths) {
    this.curator = curator;
    this.coordination = new ZooKeeperCoordination(curator);
    this.paths = paths;
  }

  /// @param zooKeeper `HOST:PORT` of its servers, with commas between them
  /// @throws IOException if none of them answers within 30 s
  public static ClusterConnection open(String zooKeeper, String cluster) throws IOException {
    // Nothing is tried again below: who writes must know what happened to a change.
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(
            zooKeeper, SESSION_MILLIS, CONNECT_MILLIS, new RetryNTimes(0, 0));
    curator.start();
    try {
      if (!curator.blockUntilConnected(CONNECTED_SECONDS, TimeUnit.SECONDS)) {
        throw new NoZooKeeperException(zooKeeper);
      }
      return new ClusterConnection(curator, new ClusterPaths(cluster));
    } catch (InterruptedException e) {
      curator.close();
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException("connecting to ZooKeeper");
      interrupted.initCause(e);
      throw interrupted;
    } catch (IOException | RuntimeException e) {
      curator.close();
      throw e;
    }
  }

  public CuratorFramework curator() {
    return curator;
  }

  /// Whether there is a connection now.
  public boolean isConnected() {
    return curator.getZookeeperClient().isConnected();
  }

  /// Shows whether there is a connection.
  public void register(MeterRegistry registry) {
    Gauge.builder("ledger.zookeeper.connected", this, each -> each.isConnected() ? 1 : 0)
        .description("whether the process is connected to ZooKeeper")
        .register(registry);
  }

  public Coordination coordination() {
    return coordination;
  }

  public ClusterPaths paths() {
    return paths;
  }

  /// @throws IOException also if there is no such cluster
  public ClusterIdentity identity() throws IOException, CorruptStreamException {
    try {
      return ClusterIdentity.read(coordination, paths).identity();
    } catch (NoClusterException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    curator.close();
  }
}
