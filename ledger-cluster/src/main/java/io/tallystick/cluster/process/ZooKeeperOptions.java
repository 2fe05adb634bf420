package io.tallystick.cluster.process;

import picocli.CommandLine.Option;

/// Where ZooKeeper is.
final class ZooKeeperOptions {
  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[,...]",
      defaultValue = "${env:TALLY_ZOOKEEPER:-127.0.0.1:2181}",
      converter = CheckedWords.Servers.class,
      description =
          "The servers of ZooKeeper, with commas between them (environment: TALLY_ZOOKEEPER). "
              + "Default: ${DEFAULT-VALUE}")
  private String servers = "";

  /// For ZooKeeper's client.
  String servers() {
    return servers;
  }

  /// Where BookKeeper keeps what it knows of its ledgers.
  String metadata() {
    return "zk+hierarchical://" + servers.replace(',', ';') + "/ledgers";
  }
}
