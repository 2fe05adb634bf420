package io.tallystick.storage.replicated;

import io.tallystick.model.LedgerId;
import io.tallystick.storage.stream.StreamId;
import java.util.Locale;

/// Where a cluster's values stand in {@link Coordination}. Source: `docs/formats/replicated.md`.
///
/// @param cluster its name
public record ClusterPaths(String cluster) {
  /// The parent of all clusters.
  public static final String CLUSTERS = "/ts";

  private static final String NAME = "[a-z0-9][a-z0-9-]{0,62}";

  public ClusterPaths {
    if (!isName(cluster)) {
      throw new IllegalArgumentException("cluster name " + cluster);
    }
  }

  public String root() {
    return CLUSTERS + "/" + cluster;
  }

  public String shards() {
    return root() + "/shards";
  }

  String shard(StreamId id) {
    return shards() + "/" + id.shard();
  }

  public String owner(StreamId id) {
    return shard(id) + "/owner";
  }

  /// Written only to show that the owner is the owner still.
  String lease(StreamId id) {
    return shard(id) + "/lease";
  }

  String segments(StreamId id) {
    return shard(id) + "/segments";
  }

  String segment(StreamId id, int segment) {
    return String.format(Locale.ROOT, "%s/%08x", segments(id), segment);
  }

  String savepoint(StreamId id) {
    return shard(id) + "/savepoint";
  }

  String savepointPin(StreamId id, String name) {
    return savepoint(id) + "/" + name;
  }

  String retired(StreamId id) {
    return shard(id) + "/retired";
  }

  String retired(StreamId id, long log) {
    return String.format(Locale.ROOT, "%s/%016x", retired(id), log);
  }

  /// The server that a master would have write the shard.
  public String target(StreamId id) {
    return shard(id) + "/target";
  }

  /// The server that an operator would have write the shard.
  public String wanted(StreamId id) {
    return shard(id) + "/wanted";
  }

  public String identity() {
    return root() + "/identity";
  }

  /// Written only to read what stands behind that write.
  public String beat() {
    return root() + "/beat";
  }

  /// Parent of the servers that are there.
  public String servers() {
    return root() + "/servers";
  }

  public String server(String id) {
    return servers() + "/" + checked(id);
  }

  /// Parent of the names of servers that shall write no shard.
  public String drained() {
    return root() + "/drained";
  }

  public String drained(String server) {
    return drained() + "/" + checked(server);
  }

  private static String checked(String server) {
    if (!isName(server)) {
      throw new IllegalArgumentException("server name " + server);
    }
    return server;
  }

  /// Whether a server or a cluster may be called so.
  public static boolean isName(String name) {
    return name.matches(NAME);
  }

  /// The founding of the cluster's T-Ledger.
  public String tLedger() {
    return root() + "/t-ledger";
  }

  /// Parent of the registry of ledgers.
  public String ledgers() {
    return root() + "/ledgers";
  }

  /// Parent of those ledgers whose id begins with this byte.
  public String ledgers(int firstByte) {
    return String.format(Locale.ROOT, "%s/%02x", ledgers(), firstByte);
  }

  public String ledger(LedgerId ledger) {
    String hex = ledger.hex();
    return ledgers() + "/" + hex.substring(0, 2) + "/" + hex;
  }
}
