package io.tallystick.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: `tally bench state` measures every case that runs without a service, and says so in JSON.
/// Method: the command in this process, as small as it goes. What it reads and proves it checks
/// itself; no figure is judged here.
class StateBenchTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Map<String, String> departures = new HashMap<>();
  private final CommandLine commandLine =
      Bench.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  private List<String> measure(String... arguments) {
    List<String> command = new ArrayList<>(List.of("state"));
    command.addAll(List.of(arguments));
    command.addAll(
        List.of("-n", "400", "--batch", "50", "--gets", "400", "--repeat", "1", "--json"));
    int status = commandLine.execute(command.toArray(String[]::new));
    assertThat(err.toString()).isEmpty();
    assertThat(status).isZero();
    JsonNode report = JsonMapper.builder().build().readTree(out.toString());
    assertThat(report.get("benchmark").asString()).isEqualTo("state");
    List<String> names = new ArrayList<>();
    for (JsonNode measured : report.get("cases")) {
      String name = measured.get("name").asString();
      names.add(name);
      double value = measured.get("value").asDouble();
      assertThat(value).as(name).isNotNegative();
      if (!name.endsWith("-read") && !name.equals("space-ahead")) {
        assertThat(value).as(name).isPositive();
      }
      if (measured.has("cacheOfIndex")) {
        assertThat(measured.get("cacheOfIndex").asDouble()).as(name).isPositive();
      }
      departures.put(name, measured.has("departs") ? measured.get("departs").asString() : "");
    }
    return names;
  }

  @Test
  void putsAndGetsBesideRivalsAndLimit() {
    assertThat(measure("put", "get"))
        .containsExactly(
            "put",
            "put-tree",
            "put-tree-ratio",
            "put-rocksdb",
            "put-rocksdb-ratio",
            "get",
            "get-tree",
            "get-tree-ratio",
            "get-rocksdb",
            "get-rocksdb-ratio");
    assertThat(departures.values()).as("as shipped").containsOnly("");
  }

  @Test
  void saysWhatIsNotAsShipped() {
    measure("put", "--memory", "1");
    assertThat(departures).containsEntry("put", "a cache of 1.0 MiB");
  }

  @Test
  void measuresBatchesAndRangesBesideRivals() {
    assertThat(measure("batch", "range"))
        .contains(
            "batch-50",
            "batch-50-tree-ratio",
            "batch-value-64-put",
            "batch-value-4096-get-rocksdb-ratio",
            "range-5",
            "range-50-tree-ratio",
            "range-50-rocksdb-ratio",
            "range-large-ratio");
    assertThat(departures).containsEntry("batch-50", "").containsEntry("range-5", "");
    assertThat(departures.get("range-large")).startsWith("N_cap 838, a cache of ");
  }

  @Test
  void measuresGrowthAndSpace() {
    assertThat(measure("growth", "space"))
        .contains(
            "growth-put-ratio",
            "growth-get-ratio",
            "growth-get-rocksdb-ratio",
            "growth-heap-large",
            "growth-resident-large",
            "space-one",
            "space-one-log",
            "space-one-rocksdb",
            "space-kept",
            "space-repeated",
            "space-repeated-tree",
            "space-inserted",
            "space-updated",
            "space-updated-kept");
    assertThat(departures).containsEntry("space-one", "");
  }

  @Test
  void measuresOlderVersions() {
    assertThat(measure("history", "prune", "rollback"))
        .contains(
            "history-newest",
            "history-10",
            "history-40",
            "history-ratio",
            "history-tree-ratio",
            "prune-ratio",
            "prune-index",
            "prune-at-once-ratio",
            "prune-at-once-read",
            "rollback-1",
            "rollback-40",
            "rollback-ratio",
            "rollback-read");
    assertThat(departures.get("history-40"))
        .isEqualTo(
            "a savepoint in 50 operations, at most 10,000 older versions, older versions of any"
                + " size");
  }

  @Test
  void measuresProofsAndATrickle() {
    assertThat(measure("proof", "trickle"))
        .contains(
            "proof-one",
            "proof-many",
            "proof-tree",
            "proof-one-verify-ratio",
            "proof-many-verify-ratio",
            "trickle",
            "trickle-ratio");
  }
}
