package io.tallystick.cluster.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The servers of ZooKeeper that together are one, and which of them this process is. Each is known
/// by its number in the list, from 1 on: the list must be the same for all.
///
/// @param self number of this one
public record ZooKeeperEnsemble(List<String> hosts, int self) {
  private static final int HOSTS_MAX = 255;
  private static final String PORTS = ":2888:3888";
  private static final String NUMBER_FILE = "myid";

  public ZooKeeperEnsemble {
    hosts = List.copyOf(hosts);
  }

  /// @param name of this one: its host, or the host's first label
  /// @throws IllegalArgumentException if it is none of them, or there are two of them
  public static ZooKeeperEnsemble of(List<String> hosts, String name) {
    if (hosts.size() > HOSTS_MAX || hosts.stream().distinct().count() < hosts.size()) {
      throw new IllegalArgumentException(
          "an ensemble has up to " + HOSTS_MAX + " hosts, each once");
    }
    List<String> own = hosts.stream().filter(host -> isCalled(host, name)).toList();
    if (own.size() != 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "%d hosts of the ensemble are called %s: %s", own.size(), name, hosts));
    }
    return new ZooKeeperEnsemble(hosts, hosts.indexOf(own.getFirst()) + 1);
  }

  private static boolean isCalled(String host, String name) {
    return host.equals(name) || host.startsWith(name + ".");
  }

  /// As in `zoo.cfg`.
  ///
  /// @param everywhere whether it listens to the others on all addresses
  Map<String, String> settings(boolean everywhere) {
    Map<String, String> settings = new TreeMap<>();
    for (int i = 0; i < hosts.size(); i++) {
      settings.put("server." + (i + 1), hosts.get(i) + PORTS);
    }
    settings.put("initLimit", "10");
    settings.put("syncLimit", "5");
    settings.put("quorumListenOnAllIPs", Boolean.toString(everywhere));
    return settings;
  }

  /// Writes this one's number where ZooKeeper reads it.
  ///
  /// @throws IOException also if another number stands there: its votes are of that server
  void keepNumber(Path dataDir) throws IOException {
    Path file = dataDir.resolve(NUMBER_FILE);
    String number = Integer.toString(self);
    if (!Files.exists(file)) {
      Files.createDirectories(dataDir);
      Files.writeString(file, number + "\n");
      return;
    }
    String there = Files.readString(file).strip();
    if (!there.equals(number)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s is of server %s of the ensemble, this is server %s",
              dataDir,
              there,
              number));
    }
  }
}
