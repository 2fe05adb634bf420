package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.cluster.ClusterConnection;
import io.tallystick.cluster.book.TestBookies;
import io.tallystick.cluster.master.ClusterMaster;
import io.tallystick.cluster.proxy.ClusterRoutes;
import io.tallystick.cluster.proxy.HostedCluster;
import io.tallystick.cluster.server.ClusterServer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.OutsideDuties;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.SettingsFile;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.wire.WireRole;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// A cluster in this process: one server, one master, one proxy, on bookies that it is given.
public final class EmbeddedCluster implements AutoCloseable {
  private static final long OWNER_MILLIS = 60_000;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final RunningService proxy;

  private EmbeddedCluster(TestBookies bookies, String name, Path folder, Path keys)
      throws Exception {
    try {
      String zooKeeper = bookies.zooKeeper().address();
      opened.push(
          ClusterMaster.start(
              new ClusterMaster.Settings(
                  zooKeeper,
                  name,
                  "m1",
                  Optional.empty(),
                  Duration.ofSeconds(1),
                  OutsideDuties.Settings.of(SettingsFile.NONE),
                  folder.resolve("master")),
              SignatureProviders.best(),
              SimpleMeterRegistry::new));
      opened.push(
          ClusterServer.start(
              new ClusterServer.Settings(
                  zooKeeper,
                  bookies.metadata(),
                  name,
                  "s1",
                  folder.resolve("server"),
                  keys,
                  new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                  Optional.empty(),
                  16,
                  Optional.empty(),
                  Optional.empty(),
                  new ShardConfig.Shipping(200, 500)),
              SignatureProviders.best(),
              _ -> new SimpleMeterRegistry()));
      proxy =
          TallystickService.start(
              (_, _, _, _, _) ->
                  new HostedCluster(
                      ClusterRoutes.open(
                              ClusterConnection.open(zooKeeper, name),
                              Optional.empty(),
                              WireRole.PROXY)
                          .awaitOwner(OWNER_MILLIS)),
              ServiceProperties.of(folder.resolve("proxy"), 0));
      opened.push(proxy);
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  /// Founds a cluster.
  public static void init(TestBookies bookies, String name, Path keys, int shards) {
    assertThat(
            ClusterCommands.run(
                "cluster",
                "init",
                "--zookeeper",
                bookies.zooKeeper().address(),
                "--cluster",
                name,
                "--authority",
                "localhost",
                "--keys",
                keys,
                "--shards",
                shards))
        .extracting(ClusterCommands.Ended::status)
        .isEqualTo(0);
  }

  /// Starts a cluster that is founded.
  public static EmbeddedCluster start(TestBookies bookies, String name, Path folder, Path keys)
      throws Exception {
    return new EmbeddedCluster(bookies, name, folder, keys);
  }

  /// Where its proxy listens.
  public String target() {
    return proxy.target();
  }

  @Override
  public void close() throws IOException {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
