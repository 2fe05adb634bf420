package io.tallystick.master.placement;

import io.tallystick.master.placement.ClusterSeen.ShardSeen;
import io.tallystick.master.presence.PresentServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// Servers that were to write a shard whose owner is lost, and do not begin to: they may lack a
/// key, or memory. Another gets it. A server that starts anew is asked again, and so is every one
/// once all have declined. One thread uses it.
final class Declined {
  private final Duration patience;

  /// By shard, and there incarnations by server.
  private final Map<Integer, Map<String, Long>> declined = new HashMap<>();

  /// @param patience how long a server may do nothing about a shard
  Declined(Duration patience) {
    this.patience = patience;
  }

  /// Servers of those that may write shards that shall not be asked to write this one.
  ///
  /// @param standing how long the target has been seen
  Set<String> look(
      int shard, ShardSeen seen, Map<String, PresentServer> servers, Duration standing) {
    Map<String, Long> of = declined.computeIfAbsent(shard, each -> new HashMap<>());
    of.entrySet()
        .removeIf(each -> {
          PresentServer server = servers.get(each.getKey());
          return server == null || server.incarnation() != each.getValue();
        });
    PresentServer target =
        seen.target().map(each -> servers.get(each.server())).orElse(null);
    if (servers.containsKey(seen.owner().server())) {
      of.clear();
    } else if (target != null && !target.has(shard) && standing.compareTo(patience) >= 0) {
      of.put(target.id(), target.incarnation());
    }
    if (of.size() == servers.size()) {
      of.clear();
    }
    return new HashSet<>(of.keySet());
  }
}
