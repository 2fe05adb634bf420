package io.tallystick.cluster.zoo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/// A ZooKeeper server in this process, on loopback, with files in one folder.
public final class TestZooKeeper implements AutoCloseable {
  private static final int TICK_MILLIS = 500;
  private static final int CONNECTIONS_MAX = 200;

  private final Path folder;
  private final InetSocketAddress address;
  private NIOServerCnxnFactory connections;

  private TestZooKeeper(Path folder, NIOServerCnxnFactory connections) {
    this.folder = folder;
    this.connections = connections;
    this.address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), connections.getLocalPort());
  }

  public static TestZooKeeper start(Path folder) throws IOException, InterruptedException {
    return new TestZooKeeper(
        folder, start(folder, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
  }

  private static NIOServerCnxnFactory start(Path folder, InetSocketAddress address)
      throws IOException, InterruptedException {
    NIOServerCnxnFactory connections = new NIOServerCnxnFactory();
    connections.configure(address, CONNECTIONS_MAX);
    connections.startup(
        new ZooKeeperServer(
            folder.resolve("snapshots").toFile(), folder.resolve("log").toFile(), TICK_MILLIS));
    return connections;
  }

  public String address() {
    return String.format(Locale.ROOT, "127.0.0.1:%d", address.getPort());
  }

  public CuratorFramework connect() {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(address(), 4_000, 4_000, new RetryNTimes(0, 0));
    curator.start();
    return curator;
  }

  /// Ends the server; clients lose their connections, not their sessions.
  public void stop() {
    connections.shutdown();
  }

  /// Starts it again at the same address.
  public void startAgain() throws IOException, InterruptedException {
    connections = start(folder, address);
  }

  @Override
  public void close() {
    stop();
  }
}
