package io.tallystick.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
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
      names.add(measured.get("name").asString());
      double value = measured.get("value").asDouble();
      assertThat(value).as(names.getLast()).isNotNegative();
      if (!names.getLast().startsWith("history-prune")) {
        assertThat(value).as(names.getLast()).isPositive();
      }
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
  }

  @Test
  void measuresGrowthSpaceAndHistory() {
    assertThat(measure("growth", "space", "history"))
        .contains(
            "growth-put-ratio",
            "growth-get-ratio",
            "growth-heap-large",
            "growth-resident-large",
            "space-inserted",
            "space-updated",
            "history-ratio",
            "history-prune-ratio",
            "history-prune-read");
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
