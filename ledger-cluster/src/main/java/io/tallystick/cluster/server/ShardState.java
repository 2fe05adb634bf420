package io.tallystick.cluster.server;

import io.tallystick.node.NodeHealth;
import java.util.LinkedHashMap;
import java.util.Map;

/// How a shard is on a server that has to do with it.
sealed interface ShardState {
  /// It is written here.
  record Served(long epoch, NodeHealth health) implements ShardState {}

  /// It is followed here.
  ///
  /// @param lagMs since all was replayed that was durable
  /// @param nextFrame the first that was not replayed
  record Followed(long lagMs, long nextFrame) implements ShardState {}

  /// It is to be written here, and is not yet.
  record Waited(String why) implements ShardState {}

  /// Whether nothing more is to be done for it.
  default boolean isReady() {
    return switch (this) {
      case Served its -> its.health().readable() && its.health().appendable();
      case Followed _ -> true;
      case Waited _ -> false;
    };
  }

  /// As probes are told.
  default Map<String, Object> shown() {
    Map<String, Object> shown = new LinkedHashMap<>();
    switch (this) {
      case Served its -> {
        shown.put("served", true);
        shown.put("epoch", its.epoch());
        shown.put("readable", its.health().readable());
        shown.put("appendable", its.health().appendable());
        if (!its.health().detail().isEmpty()) {
          shown.put("why", its.health().detail());
        }
      }
      case Followed its -> {
        shown.put("followed", true);
        shown.put("lagMs", its.lagMs());
        shown.put("nextFrame", its.nextFrame());
      }
      case Waited its -> {
        shown.put("served", false);
        shown.put("why", its.why());
      }
    }
    return shown;
  }
}
