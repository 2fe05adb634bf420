package io.tallystick.storage.replicated;

import io.tallystick.storage.stream.StreamId;
import java.util.Locale;

/// Where a cluster's values stand in {@link Coordination}. Source: `docs/formats/replicated.md`.
///
/// @param cluster its name
public record ClusterPaths(String cluster) {
  /// The parent of all clusters.
  public static final String CLUSTERS = "/ts";

  public ClusterPaths {
    if (!cluster.matches("[a-z0-9][a-z0-9-]{0,62}")) {
      throw new IllegalArgumentException("cluster name " + cluster);
    }
  }

  String root() {
    return CLUSTERS + "/" + cluster;
  }

  String shards() {
    return root() + "/shards";
  }

  String shard(StreamId id) {
    return shards() + "/" + id.shard();
  }

  String owner(StreamId id) {
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
}
