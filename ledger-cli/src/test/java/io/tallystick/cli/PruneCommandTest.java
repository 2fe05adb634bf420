package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an operator sees which versions of states a running service keeps, and drops older ones;
/// whatever is wrong is said. Method: the command line against a real service.
class PruneCommandTest {
  @TempDir private Path home;

  private Cli.Result prune(Object... words) {
    List<Object> all = new ArrayList<>(List.of("prune", "--data", home.resolve("data")));
    all.addAll(List.of(words));
    return Cli.run(all.toArray());
  }

  private String create(Cli cli, Path key, Object... words) {
    List<Object> all = new ArrayList<>(List.of("ledger", "create"));
    all.addAll(List.of(words));
    all.addAll(List.of("--key", key, "--json"));
    return cli.call(all.toArray()).json().get("ledgerId").stringValue();
  }

  @Test
  void showsAndDropsVersionsOfARunningService() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    try (RunningService service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0))) {
      Cli cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
      String ledger = create(cli, key, "seats", "--state");
      String plain = create(cli, key, "plain");
      assertThat(prune().hasStatus(0).out()).contains("No state was used");
      for (int i = 0; i < 6; i++) {
        cli.call("state", "put", ledger, "seat", "guest " + i, "--key", key).hasStatus(0);
      }
      JsonNode kept = prune("--json").json().get("states");
      assertThat(kept.size()).isEqualTo(1);
      assertThat(kept.get(0).get("ledger").stringValue()).isEqualTo(ledger);
      assertThat(kept.get(0).get("newestHeight").longValue()).isEqualTo(6);
      assertThat(kept.get(0).get("oldestHeight").longValue()).isZero();
      assertThat(prune().hasStatus(0).out()).contains(ledger + ": blocks 0 to 6; ");
      JsonNode then = prune(ledger, "--below", 4, "--json").json();
      assertThat(then.get("oldestHeight").longValue())
          .as("what the state of block 4 is made from stays")
          .isLessThan(4);
      cli.call("state", "get", ledger, "seat", "--as-of", 4).hasStatus(0);
      then = prune(ledger, "--below", 6, "--json").json();
      assertThat(then.get("oldestHeight").longValue()).isEqualTo(6);
      assertThat(then.get("olderVersions").longValue()).isZero();
      assertThat(then.get("olderBytes").longValue()).isZero();
      assertThat(
              cli.call("state", "get", ledger, "seat", "--as-of", 3)
                  .hasStatus(ExitCode.REFUSED)
                  .err())
          .contains("refused (pruned)", "the oldest kept is that of block 6");
      then = prune(ledger, "--keep", 2, "--keep-megabytes", 3, "--json").json();
      assertThat(then.get("versionsMax").intValue()).isEqualTo(2);
      assertThat(then.get("bytesMax").intValue()).isEqualTo(3 << 20);
      assertThat(prune().hasStatus(0).out())
          .contains("0 versions of 0 B beside the newest, of at most 2 in 3,145,728 B");
      assertThat(prune(ledger, "--keep-default").hasStatus(0).out())
          .contains("of at most 40 in as much room as the newest takes");
      refusals(ledger, plain);
      cli.call("audit", ledger).hasStatus(0);
    }
    assertThat(prune().hasStatus(ExitCode.UNAVAILABLE).err())
        .contains("no service takes the operator's requests in " + home.resolve("data"));
  }

  private void refusals(String ledger, String plain) {
    assertThat(prune(ledger, "--below", 7).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (out_of_range): block 7 does not exist; the newest is 6");
    assertThat(prune("ab".repeat(32), "--below", 0).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (unknown_ledger)");
    assertThat(prune(plain, "--below", 0).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (feature_not_enabled): the ledger has no state");
    assertThat(prune("xyz", "--below", 0).hasStatus(ExitCode.USAGE).err()).contains("no ledger id");
    assertThat(prune(ledger).hasStatus(ExitCode.USAGE).err())
        .contains("name --below, --keep-default, or");
    assertThat(prune(ledger, "--below", 2, "--keep", 1).hasStatus(ExitCode.USAGE).err())
        .contains("name --below, --keep-default, or");
    assertThat(prune("--below", 3).hasStatus(ExitCode.USAGE).err()).contains("LEDGER");
    assertThat(prune(ledger, "--below", -1).hasStatus(ExitCode.USAGE).err())
        .contains("--below is 0 or more");
    assertThat(prune(ledger, "--keep", -1).hasStatus(ExitCode.USAGE).err())
        .contains("--keep is 0 or more");
    assertThat(prune(ledger, "--keep", 41).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (out_of_range): 41 versions are not kept of any state; the most is 40");
  }

  @Test
  void saysThatThereIsNoDirectory() throws Exception {
    assertThat(prune().hasStatus(ExitCode.FILE).err()).contains("data does not exist");
    Files.createDirectory(home.resolve("data"));
    assertThat(prune().hasStatus(ExitCode.UNAVAILABLE).err()).contains("no service takes");
  }
}
