package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;

/// Goal: every answer about a ledger says how old its newest head is, and none is given under an
/// older one than the reader allows. Method: each command with `--max-age`, over a ledger whose
/// last block was sealed more than a second ago. A new command with the option fails until it is
/// here.
class MaxAgeTest {
  private static final long SEALED_AGO_MS = 1_100;

  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;
  private static Path owner;
  private static String ledger = "";
  private static Instant sealed = Instant.EPOCH;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(
            LocalNode::open, ServiceProperties.of(home.resolve("data"), 0).withReads(Reads.ANYONE));
    owner = home.resolve("owner.pem");
    Cli.run("keygen", owner).hasStatus(ExitCode.OK);
    cli = new Cli(service.target(), home.resolve("trust").toString());
    ledger =
        cli.call("ledger", "create", "idle", "--state", "--key", owner, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("state", "put", ledger, "k", "v", "--key", owner).hasStatus(ExitCode.OK);
    JsonNode last =
        cli.call("append", ledger, "--text", "last", "--clue", "c", "--key", owner, "--json")
            .json();
    sealed = Instant.ofEpochMilli(last.get("journals").get(0).get("timeMs").longValue());
    TimeUnit.MILLISECONDS.sleep(SEALED_AGO_MS);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /// Those that answer about a ledger as it is, and so show how old that is.
  private static Map<String, List<Object>> answering() {
    Map<String, List<Object>> answering = new LinkedHashMap<>();
    answering.put("verify", List.of(ledger));
    answering.put("get", List.of(ledger, 2));
    answering.put("list", List.of(ledger));
    answering.put("lineage", List.of(ledger, "c"));
    answering.put("ledger show", List.of(ledger));
    answering.put("member list", List.of(ledger));
    answering.put("proposal list", List.of(ledger));
    answering.put("keys chain", List.of(ledger));
    answering.put("state get", List.of(ledger, "k"));
    answering.put("state history", List.of(ledger, "k", "--as-of", 1));
    answering.put("state range", List.of(ledger));
    answering.put("anchor set", List.of(ledger));
    answering.put("anchor share", List.of(ledger, "--key", owner));
    answering.put("anchor get", List.of(ledger));
    return answering;
  }

  /// Those that need a ledger with more in it, or that write a file.
  private static Map<String, List<Object>> others() {
    Map<String, List<Object>> others = new LinkedHashMap<>();
    others.put("certificate", List.of(ledger, 2));
    others.put("member certificate", List.of(ledger, ledger));
    others.put("proposal get", List.of(ledger, ledger));
    others.put("propose occult", List.of(ledger, "--jsn", 4, "--out", home.resolve("occult")));
    others.put("purge prepare", List.of(ledger, "--height", 1, "--out", home.resolve("purge")));
    others.put("time last", List.of(ledger));
    others.put("time request", List.of(ledger));
    others.put("time export", List.of(ledger, "--out", home.resolve("tokens")));
    others.put("export", List.of(ledger, home.resolve("export")));
    return others;
  }

  private static Cli.Result call(String command, List<Object> words, Object... more) {
    List<Object> all = new ArrayList<>(List.of((Object[]) command.split(" ", -1)));
    all.addAll(words);
    all.addAll(List.of(more));
    return cli.call(all.toArray());
  }

  @Test
  void everyAnswerSaysHowOldItsHeadIs() {
    answering()
        .forEach((command, words) -> {
          assertThat(call(command, words).hasStatus(ExitCode.OK).out())
              .as(command)
              .contains("Newest head sealed " + sealed + ", ", " s ago.");
          JsonNode head =
              call(command, words, "--json", "--max-age", "1h").json().get("newestHead");
          assertThat(head.get("sealed").stringValue()).as(command).isEqualTo(sealed.toString());
          assertThat(head.get("ageMs").longValue()).isGreaterThanOrEqualTo(SEALED_AGO_MS);
          assertThat(head.get("size").longValue()).isEqualTo(6);
        });
  }

  @Test
  void noneIsGivenUnderAnOlderHeadThanIsAllowed() {
    Map<String, List<Object>> all = answering();
    all.putAll(others());
    all.forEach((command, words) ->
        assertThat(call(command, words, "--max-age", "1s").hasStatus(ExitCode.UNAVAILABLE).err())
            .as(command)
            .contains("the newest head is too old: 6 leaves, sealed " + sealed, "at most 1 s"));
    assertThat(home.resolve("export")).doesNotExist();
    assertThat(home.resolve("tokens")).doesNotExist();
  }

  @Test
  void anAuditSaysItTooAndFailsWithoutBeingEvidence() throws Exception {
    Path page = home.resolve("report.html");
    Cli.Result passed = cli.call("audit", ledger, "--max-age", "1h", "--html", page);
    assertThat(passed.hasStatus(ExitCode.OK).out()).contains("sealed   " + sealed + ", ");
    assertThat(Files.readString(page)).contains("<th>sealed</th><td>" + sealed + ", ");
    JsonNode head = cli.call("audit", ledger, "--json").json().get("audit").get("newestHead");
    assertThat(head.get("sealed").stringValue()).isEqualTo(sealed.toString());
    assertThat(head.get("ageMs").longValue()).isGreaterThanOrEqualTo(SEALED_AGO_MS);
    Cli.Result late = cli.call("audit", ledger, "--max-age", "1s").hasStatus(ExitCode.UNAVAILABLE);
    assertThat(late.out()).startsWith("AUDIT PASSED");
    assertThat(late.err()).contains("the newest head is too old");
  }

  @Test
  void anAgeIsANumberAndAUnit() {
    for (String wrong : List.of("5", "0s", "-1m", "1w", "1.5h", "")) {
      assertThat(cli.call("verify", ledger, "--max-age", wrong).hasStatus(ExitCode.USAGE).err())
          .contains("is no age: want 1 to 999999999 and s, m, h or d");
    }
  }

  @Test
  void itIsRefusedWhereNoHeadIsAskedFor() {
    Path any = home.resolve("any");
    for (List<Object> words :
        List.<List<Object>>of(
            List.of("verify", ledger, "--offline", "--receipt", any),
            List.of("verify", ledger, "--proof", any, "--payload", any),
            List.of("certificate", ledger, "--verify", any),
            List.of("state", "get", ledger, "k", "--rebuilt", any),
            List.of("state", "range", ledger, "--rebuilt", any),
            List.of("member", "certificate", ledger, "--erase", ledger, "--key", owner),
            List.of("time", "export", ledger, "--copy", owner, "--out", any))) {
      List<Object> all = new ArrayList<>(words);
      all.addAll(List.of("--max-age", "1h"));
      assertThat(cli.call(all.toArray()).hasStatus(ExitCode.USAGE).err())
          .contains("--max-age is of the service's newest head");
    }
  }

  @Test
  void everyCommandWithTheOptionIsHere() {
    TreeSet<String> known = new TreeSet<>(answering().keySet());
    known.addAll(others().keySet());
    known.addAll(List.of("audit", "purge sign"));
    TreeSet<String> all = new TreeSet<>();
    add("", Tally.commandLine(), all);
    assertThat(known).isEqualTo(all);
  }

  private static void add(String name, CommandLine line, Set<String> all) {
    if (line.getCommandSpec().findOption("--max-age") != null) {
      all.add(name.strip());
    }
    line.getSubcommands().forEach((word, below) -> add(name + " " + word, below, all));
  }
}
