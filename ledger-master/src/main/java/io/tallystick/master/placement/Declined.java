package io.tallystick.master.placement;

import io.tallystick.master.placement.ClusterSeen.ShardSeen;
import io.tallystick.master.presence.PresentServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/// Servers that were to write a shard and do not: they may lack a key, memory, or a way to the
/// bookies. Another gets it, whoever owns it: an owner that is there may be just the one that
/// cannot serve it. A server that starts anew is asked again, and so is every one once all have
/// declined. One thread uses it.
final class Declined {
  private final Duration patience;
  private final LongSupplier nanoTime;

  /// By shard, and there incarnations by server.
  private final Map<Integer, Map<String, Long>> declined = new HashMap<>();

  /// By shard, of those that are not written by their target.
  private final Map<Integer, Waiting> waiting = new HashMap<>();

  /// Since when a server has been seen not to write a shard that it shall write.
  private record Waiting(String server, long incarnation, long sinceNanos) {
    boolean isFor(PresentServer target) {
      return server.equals(target.id()) && incarnation == target.incarnation();
    }
  }

  /// @param patience how long a server may do nothing about a shard
  /// @param nanoTime as {@link System#nanoTime}
  Declined(Duration patience, LongSupplier nanoTime) {
    this.patience = patience;
    this.nanoTime = nanoTime;
  }

  /// Servers of those that may write shards that shall not be asked to write this one.
  Set<String> look(int shard, ShardSeen seen, Map<String, PresentServer> servers) {
    Map<String, Long> of = declined.computeIfAbsent(shard, each -> new HashMap<>());
    of.entrySet()
        .removeIf(each -> {
          PresentServer server = servers.get(each.getKey());
          return server == null || server.incarnation() != each.getValue();
        });
    PresentServer target = seen.target().map(each -> servers.get(each.server())).orElse(null);
    if (target == null || target.writes(shard)) {
      waiting.remove(shard);
      if (target != null) {
        of.remove(target.id());
      }
    } else if (isOverdue(shard, target) && !target.follows(shard)) {
      of.put(target.id(), target.incarnation());
    }
    if (of.size() == servers.size()) {
      of.clear();
      waiting.remove(shard);
    }
    return new HashSet<>(of.keySet());
  }

  /// Whether the target has had its time; that of a new one begins now.
  private boolean isOverdue(int shard, PresentServer target) {
    long now = nanoTime.getAsLong();
    Waiting since = waiting.get(shard);
    if (since == null || !since.isFor(target)) {
      waiting.put(shard, new Waiting(target.id(), target.incarnation(), now));
      return false;
    }
    return now - since.sinceNanos >= patience.toNanos();
  }
}
