package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a kept proposal that the ledger takes no more is not shown as open, and it is said why.
/// Method: the command line in this process against a real service; what proposals ask for is
/// purged, erased by another, or too late in a closed ledger.
class ImpossibleProposalTest {
  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;
  private static Path ada;
  private static Path rex;
  private static String rexes = "";
  private String ledger = "";

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    ada = home.resolve("ada.pem");
    rex = home.resolve("rex.pem");
    Cli.run("keygen", ada).hasStatus(0);
    rexes = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /// Journals of Ada's at 4, 6 and 8; Rex, who regulates, is added before them.
  private void found(String name) {
    ledger =
        cli.call("ledger", "create", name, "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("member", "add", ledger, rexes, "--role", "regulator", "--key", ada).hasStatus(0);
    for (int i = 0; i < 3; i++) {
      cli.call("append", ledger, "--text", "one", "--clue", "c", "--key", ada).hasStatus(0);
    }
  }

  private Cli.Result put(Path key, Object... asked) {
    Path file = home.resolve("proposal-" + ledger.substring(0, 8) + "-" + System.nanoTime());
    List<Object> words = new ArrayList<>(List.of("propose"));
    words.addAll(List.of(asked));
    words.addAll(List.of("--out", file));
    boolean asks = asked[0].equals("occult");
    (asks ? cli.call(words.toArray()) : Cli.run(words.toArray())).hasStatus(0);
    Cli.run("sign", file, "--key", key).hasStatus(0);
    return cli.call("proposal", "put", file, "--json");
  }

  private void open(Path key, Object... asked) {
    assertThat(put(key, asked).json().get("status").stringValue()).isEqualTo("open");
  }

  private void impossible(int count, String code) {
    assertThat(cli.call("proposal", "list", ledger).hasStatus(0).out())
        .contains("no longer possible, says the service: " + code);
    int found = 0;
    for (JsonNode each : cli.call("proposal", "list", ledger, "--json").json().get("proposals")) {
      if (each.get("status").stringValue().equals("impossible")) {
        assertThat(each.get("missing")).isEmpty();
        assertThat(each.get("refusal").stringValue()).startsWith(code);
        found++;
      }
    }
    assertThat(found).isEqualTo(count);
  }

  @Test
  void ofWhatIsPurged() {
    found("purged");
    open(ada, "occult", ledger, "--jsn", "4", "--basis", "GDPR");
    open(ada, "occult", ledger, "--clue", "c", "--from", "0", "--to", "5", "--basis", "GDPR");
    open(ada, "occult", ledger, "--jsn", "8", "--basis", "GDPR");
    Path file = home.resolve("purge.proposal");
    cli.call("purge", "prepare", ledger, "--height", 2, "--recall-days", 0, "--out", file)
        .hasStatus(0);
    cli.call("purge", "sign", file, "--key", ada).hasStatus(0);
    cli.call("purge", "submit", file).hasStatus(0);
    impossible(2, "purged: ");
    assertThat(cli.call("proposal", "list", ledger).out())
        .contains("open, says the service; missing regulator ");
  }

  @Test
  void ofWhatAnotherErasedAndOfAClosedLedger() {
    found("erased");
    open(ada, "occult", ledger, "--jsn", "4,6", "--basis", "GDPR");
    Path file = home.resolve("erase.proposal");
    cli.call("propose", "occult", ledger, "--jsn", "6", "--basis", "court", "--out", file)
        .hasStatus(0);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    Cli.run("sign", file, "--key", rex).hasStatus(0);
    cli.call("submit", file).hasStatus(0);
    impossible(1, "already_occulted: journal 6");
    String spki =
        Cli.run("keygen", home.resolve("c.pem"), "--json").json().get("spki").stringValue();
    open(rex, "add", ledger, spki, "--role", "normal");
    cli.call("ledger", "close", ledger, "--key", ada).hasStatus(0);
    impossible(2, "");
    assertThat(cli.call("proposal", "list", ledger).out()).contains("ledger_closed: ");
  }
}
