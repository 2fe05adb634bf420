package io.tallystick.cluster.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What an operator is told about a cluster.
final class ClusterPages {
  private static final Path PAGE = Path.of("..", "docs", "operations", "cluster.md");
  private static final Path ALERTS =
      Path.of("..", "helm", "tallystick", "alerts", "tallystick-cluster-alerts.yaml");
  private static final Pattern NAME = Pattern.compile("\\bledger_[a-z_]+\\b");

  private ClusterPages() {}

  private static Set<String> named(String text) {
    return NAME.matcher(text)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// The metrics in its table.
  static Set<String> metricsOfThePage() throws IOException {
    return named(
        Files.readString(PAGE)
            .lines()
            .filter(line -> line.startsWith("| `ledger_"))
            .map(line -> line.split("\\|", 3)[1])
            .collect(Collectors.joining("\n")));
  }

  static Set<String> metricsOfTheAlerts() throws IOException {
    return named(Files.readString(ALERTS));
  }
}
