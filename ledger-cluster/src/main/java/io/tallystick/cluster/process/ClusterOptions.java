package io.tallystick.cluster.process;

import io.tallystick.cluster.ClusterConnection;
import io.tallystick.wire.WireTls;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Which cluster, and how its processes know each other.
final class ClusterOptions {
  @Mixin private ZooKeeperOptions zooKeeper = new ZooKeeperOptions();

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "${env:TALLY_CLUSTER:-tallystick}",
      converter = CheckedWords.Name.class,
      description = "The cluster's name (environment: TALLY_CLUSTER). Default: ${DEFAULT-VALUE}")
  private String cluster = "";

  @ArgGroup(exclusive = false)
  private @Nullable Tls tls;

  /// Certificates of the cluster's own authority.
  static final class Tls {
    @Option(
        names = "--cluster-ca",
        paramLabel = "FILE",
        required = true,
        description = "The certificates of the cluster's own authority, in PEM")
    private @Nullable Path authority;

    @Option(
        names = "--cluster-certificate",
        paramLabel = "FILE",
        required = true,
        description =
            "This process's certificate chain in PEM, with the URI tallystick://CLUSTER/role/ROLE")
    private @Nullable Path certificate;

    @Option(
        names = "--cluster-private-key",
        paramLabel = "FILE",
        required = true,
        description = "Its private key, PKCS#8 in PEM")
    private @Nullable Path privateKey;
  }

  String zooKeeper() {
    return zooKeeper.servers();
  }

  String metadata() {
    return zooKeeper.metadata();
  }

  String cluster() {
    return cluster;
  }

  /// Empty: processes speak in the clear, on loopback alone.
  Optional<WireTls> tls() {
    if (tls == null || tls.authority == null || tls.certificate == null || tls.privateKey == null) {
      return Optional.empty();
    }
    return Optional.of(new WireTls(cluster, tls.authority, tls.certificate, tls.privateKey));
  }

  ClusterConnection connect() throws IOException {
    return ClusterConnection.open(zooKeeper(), cluster);
  }
}
