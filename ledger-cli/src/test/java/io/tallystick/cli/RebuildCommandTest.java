package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an operator gets a damaged clue trie back by `tally rebuild`, and a damaged one fails only
/// what needs it. Method: a real service on a real data directory, its slots overwritten while it
/// is down.
class RebuildCommandTest {
  private static final int JOURNALS = 30;

  @TempDir private Path home;

  private Path data() {
    return home.resolve("data");
  }

  private Cli cli(RunningService service) {
    return new Cli(service.target(), home.resolve("trust").toString())
        .withReader(home.resolve("owner.pem"));
  }

  private RunningService start() throws Exception {
    return TallystickService.start(LocalNode::open, ServiceProperties.of(data(), 0));
  }

  private String fill() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    try (RunningService service = start()) {
      Cli cli = cli(service);
      String ledger =
          cli.call("ledger", "create", "rebuild", "--key", key, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      for (int i = 0; i < JOURNALS; i++) {
        append(cli, ledger, i);
      }
      Cli.Result busy = Cli.run("rebuild", "--index", "clue", "--data", data());
      assertThat(busy.hasStatus(ExitCode.FILE).err())
          .contains("data directory", "is in use by process");
      return ledger;
    }
  }

  private void append(Cli cli, String ledger, int i) {
    cli.call(
            "append",
            ledger,
            "--key",
            home.resolve("owner.pem"),
            "--text",
            "journal " + i,
            "--clue",
            "clue " + i % 4)
        .hasStatus(0);
  }

  private static List<Long> lineage(Cli cli, String ledger, String clue) {
    JsonNode answer = cli.call("lineage", ledger, clue, "--verify", "--json").json();
    assertThat(answer.get("complete").booleanValue()).isTrue();
    return answer.get("journals").valueStream().map(row -> row.get("jsn").longValue()).toList();
  }

  private void overwriteSlots() throws Exception {
    overwriteSlots("patricia");
  }

  private void overwriteSlots(String folder) throws Exception {
    try (Stream<Path> files = Files.list(data().resolve(folder))) {
      for (Path slots : files.toList()) {
        Files.write(slots, new byte[(int) Files.size(slots)]);
      }
    }
  }

  @Test
  void aDamagedTrieIsRebuilt() throws Exception {
    String ledger = fill();
    List<Long> want;
    try (RunningService service = start()) {
      want = lineage(cli(service), ledger, "clue 1");
      assertThat(want).hasSize(8);
    }
    overwriteSlots();
    try (RunningService service = start()) {
      Cli.Result refused =
          cli(service).call("lineage", ledger, "clue 1").hasStatus(ExitCode.REFUSED);
      assertThat(refused.err()).contains("refused (damaged)", "patricia/", ".slots at ");
      cli(service).call("list", ledger, "--json").hasStatus(0);
    }
    Cli.Result text = Cli.run("rebuild", "--index", "clue", "--data", data()).hasStatus(0);
    assertThat(text.out())
        .startsWith("Rebuilt the clue index and the clue trie of 1 ledger: 62 leaves in ")
        .contains("every root as sealed");
    JsonNode again =
        Cli.run("rebuild", "--index", "clue", "--data", data(), "--ledger", ledger, "--json")
            .json();
    assertThat(again.get("index").stringValue()).isEqualTo("clue");
    JsonNode one = again.get("ledgers").get(0);
    assertThat(one.get("ledger").stringValue()).isEqualTo(ledger);
    assertThat(one.get("leaves").longValue()).isEqualTo(2 + 2 * JOURNALS);
    assertThat(one.get("blocks").longValue()).isEqualTo(1 + JOURNALS);
    assertThat(one.get("clues").longValue()).isEqualTo(4);
    assertThat(one.get("entries").longValue()).isEqualTo(JOURNALS);
    assertThat(one.get("lostNodes").longValue()).isZero();
    try (RunningService service = start()) {
      assertThat(lineage(cli(service), ledger, "clue 1")).isEqualTo(want);
      append(cli(service), ledger, 33);
      assertThat(lineage(cli(service), ledger, "clue 1")).hasSize(want.size() + 1);
      assertThat(service.meters().get("ledger.clue.rebuilds").functionCounter().count()).isZero();
    }
  }

  @Test
  void aDamagedStateIsRebuilt() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    String ledger;
    try (RunningService service = start()) {
      Cli cli = cli(service);
      ledger =
          cli.call("ledger", "create", "state", "--state", "--key", key, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      for (int i = 0; i < 5; i++) {
        cli.call("state", "put", ledger, "key " + i, "value " + i, "--key", key).hasStatus(0);
      }
    }
    overwriteSlots("forest");
    try (RunningService service = start()) {
      Cli.Result refused =
          cli(service).call("state", "get", ledger, "key 1").hasStatus(ExitCode.REFUSED);
      assertThat(refused.err()).contains("refused (damaged)", "forest/", ".slots at ");
      cli(service).call("list", ledger, "--json").hasStatus(0);
    }
    assertThat(Cli.run("rebuild", "--index", "state", "--data", data()).hasStatus(0).out())
        .startsWith("Rebuilt the state of 1 ledger: 12 leaves in ")
        .contains("every root as sealed");
    try (RunningService service = start()) {
      assertThat(cli(service).call("state", "get", ledger, "key 1").hasStatus(0).out())
          .contains("value 1");
      assertThat(service.meters().get("ledger.state.rebuilds").functionCounter().count()).isZero();
    }
  }

  /// The operator does nothing: the next journal with a clue has it rebuilt.
  @Test
  void aRunningServiceRebuildsByItself() throws Exception {
    String ledger = fill();
    overwriteSlots();
    try (RunningService service = start()) {
      append(cli(service), ledger, 33);
      assertThat(service.meters().get("ledger.clue.rebuilds").functionCounter().count())
          .isEqualTo(1);
      assertThat(lineage(cli(service), ledger, "clue 1")).hasSize(9);
    }
    try (RunningService service = start()) {
      assertThat(lineage(cli(service), ledger, "clue 2")).hasSize(7);
    }
  }

  @Test
  void saysWhatItCannotDo() throws Exception {
    fill();
    String other = "ab".repeat(32);
    assertThat(
            Cli.run("rebuild", "--index", "clue", "--data", data(), "--ledger", other)
                .hasStatus(ExitCode.USAGE)
                .err())
        .contains("no ledger " + other + " with clues");
    assertThat(
            Cli.run("rebuild", "--index", "clue", "--data", home.resolve("nothing"))
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("nothing/meta")
        .doesNotContain("is a file");
    assertThat(home.resolve("nothing")).doesNotExist();
    Path empty = Files.createDirectories(home.resolve("empty/meta")).getParent();
    assertThat(
            Cli.run("rebuild", "--index", "clue", "--data", Objects.requireNonNull(empty))
                .hasStatus(ExitCode.FILE)
                .err())
        .contains("no savepoint was ever taken there");
    assertThat(empty.resolve("keys")).doesNotExist();
    Cli.run("rebuild", "--index", "members", "--data", data()).hasStatus(ExitCode.USAGE);
    Cli.run("rebuild", "--data", data()).hasStatus(ExitCode.USAGE);
  }
}
