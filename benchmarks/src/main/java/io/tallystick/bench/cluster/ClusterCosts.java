package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.ThisMachine;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The processor time that the client and each role of a cluster have used so far.
///
/// @param nanos by role
record ClusterCosts(Map<String, Long> nanos) {
  private static final Map<String, List<String>> ROLES = roles();

  ClusterCosts {
    nanos = Map.copyOf(nanos);
  }

  private static Map<String, List<String>> roles() {
    Map<String, List<String>> roles = new LinkedHashMap<>();
    roles.put("proxies", List.of("proxy-1", "proxy-2"));
    roles.put("servers", List.of("server-1", "server-2"));
    roles.put("bookies", List.of("bookie-1", "bookie-2", "bookie-3"));
    roles.put("others", List.of("zookeeper", "master-1", "master-2"));
    return roles;
  }

  static ClusterCosts now(BenchCluster cluster) throws IOException {
    Map<String, Long> nanos = new LinkedHashMap<>();
    nanos.put("client", ThisMachine.processorNanos());
    for (Map.Entry<String, List<String>> role : ROLES.entrySet()) {
      long its = 0;
      for (String name : role.getValue()) {
        its += cluster.processorNanos(name);
      }
      nanos.put(role.getKey(), its);
    }
    return new ClusterCosts(nanos);
  }

  /// What a journal has cost since, in microseconds.
  String per(long journals, ClusterCosts end) {
    return end.nanos.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(role ->
            String.format(
                Locale.ROOT,
                "%s %.1f",
                role.getKey(),
                (role.getValue() - nanos.getOrDefault(role.getKey(), 0L))
                    / 1e3
                    / Math.max(1, journals)))
        .collect(Collectors.joining(", ", "processor time per journal: ", " us"));
  }
}
