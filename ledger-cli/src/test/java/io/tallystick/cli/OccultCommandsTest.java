package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerRemovals;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.journal.ErasedBody;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.journal.BodyState;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.Role;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: an owner and a regulator, each at a command line of its own, have bodies erased, and
/// whoever reads them is shown by whose order, verified. Method: a real service, the command line
/// and the SDK.
class OccultCommandsTest {
  private static final String SECRET = "Ada lives at 1 Fleet St";
  private static final String BASIS = "GDPR Art. 17";

  @TempDir private Path home;
  private RunningService service;
  private Cli cli;
  private Path ada;
  private Path rex;
  private String ledger = "";

  @BeforeEach
  void found() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    ada = home.resolve("ada.pem");
    rex = home.resolve("rex.pem");
    Cli.run("keygen", ada).hasStatus(0);
    String spki = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
    ledger =
        cli.call("ledger", "create", "forgetful", "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("member", "add", ledger, spki, "--role", "regulator", "--key", ada).hasStatus(0);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private long append(String text, String clue) {
    return cli.call("append", ledger, "--text", text, "--clue", clue, "--key", ada, "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  @Test
  void aFileThatBothSignErasesABody() {
    long jsn = append(SECRET, "ada");
    long other = append("of someone else", "bo");
    Path file = home.resolve("erase.proposal");
    Cli.Result proposed =
        cli.call("propose", "occult", ledger, "--jsn", jsn, "--basis", BASIS, "--out", file)
            .hasStatus(0);
    assertThat(proposed.out())
        .contains("erase the bodies of journals " + jsn, BASIS, "erases ", " B", "1 journal")
        .doesNotContain(SECRET);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    assertThat(cli.call("submit", file).hasStatus(ExitCode.REFUSED).err())
        .contains("signatures_missing");
    Cli.run("sign", file, "--key", rex).hasStatus(0);
    long occult = cli.call("submit", file, "--json").json().get("jsn").longValue();

    assertThat(cli.call("get", ledger, jsn).hasStatus(0).out())
        .contains("body erased", "erased    by occult " + occult, BASIS, "owner ", "regulator ")
        .contains("Verified: this occult stands in the log and names the journal")
        .doesNotContain(SECRET);
    JsonNode row = cli.call("get", ledger, jsn, "--json").json();
    assertThat(row.get("bodyStatus").stringValue()).isEqualTo("erased");
    JsonNode erasure = row.get("erasure");
    assertThat(erasure.get("jsn").longValue()).isEqualTo(occult);
    assertThat(erasure.get("kind").stringValue()).isEqualTo("occult");
    assertThat(erasure.get("basis").stringValue()).isEqualTo(BASIS);
    assertThat(erasure.get("signers")).hasSize(2);
    assertThat(erasure.get("signers").findValuesAsString("role"))
        .containsExactlyInAnyOrder("owner", "regulator");
    Path payload = home.resolve("payload");
    cli.call("get", ledger, jsn, "--payload", payload).hasStatus(ExitCode.REFUSED);
    assertThat(payload).doesNotExist();
    assertThat(cli.call("get", ledger, other).hasStatus(0).out()).contains("of someone else");
    assertThat(cli.call("list", ledger).hasStatus(0).out()).contains("body erased");
    assertThat(
            cli.call("propose", "occult", ledger, "--jsn", jsn, "--out", home.resolve("again"))
                .hasStatus(ExitCode.USAGE)
                .err())
        .contains("erased already");
  }

  @Test
  void theServiceKeepsAProposalOfAClueUntilBothHaveSigned() {
    long first = append(SECRET, "ada");
    long last = append(SECRET + " no more", "ada");
    Path file = home.resolve("clue.proposal");
    JsonNode proposed =
        cli.call(
                "propose", "occult", ledger, "--clue", "ada", "--from", first, "--to", last,
                "--out", file, "--json")
            .json();
    assertThat(proposed.get("erases")).hasSize(2);
    assertThat(proposed.get("erases").get(0).get("jsn").longValue()).isEqualTo(first);
    assertThat(proposed.get("erases").get(0).get("bodyBytes").longValue()).isPositive();
    Cli.run("sign", file, "--key", rex).hasStatus(0);
    Cli.Result kept = cli.call("proposal", "put", file).hasStatus(0);
    assertThat(kept.out())
        .contains("open, says the service; missing owner ")
        .doesNotContain("regulator");
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    assertThat(cli.call("proposal", "put", file).hasStatus(0).out()).contains("done at jsn ");
    for (long jsn : List.of(first, last)) {
      assertThat(cli.call("get", ledger, jsn).hasStatus(0).out()).contains("erased    by occult");
    }
    long more = append(SECRET + " again", "ada");
    assertThat(proposeOfClue(0, more).hasStatus(ExitCode.USAGE).err())
        .contains("the body of " + first + " is erased already");
    proposeOfClue(last + 1, more).hasStatus(0);
    assertThat(proposeOfClue(last + 1, 50_000).hasStatus(ExitCode.USAGE).err())
        .contains("journal 50000 does not exist");
  }

  private Cli.Result proposeOfClue(long from, long to) {
    Path file = home.resolve("clue-" + from + "-" + to);
    return cli.call(
        "propose", "occult", ledger, "--clue", "ada", "--from", from, "--to", to, "--out", file);
  }

  @Test
  void aProgramWithBothKeysErasesAndAnyReaderVerifiesByWhom() throws Exception {
    long jsn = append(SECRET, "ada");
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(service.target(), home.resolve("sdk")))) {
      LedgerHandle both =
          client.open(LedgerId.fromHex(ledger), ClientKey.load(ada), ClientKey.load(rex));
      assertThat(both.erasure(new Jsn(jsn))).isEmpty();
      LedgerJournal seen = both.get(new Jsn(jsn));
      VerifiedReceipt receipt = both.occult(LedgerRemovals.naming(List.of(seen)), BASIS);
      assertThat(both.get(new Jsn(jsn)).bodyState()).isEqualTo(BodyState.ERASED);
      Waiting.until(
          "it is erased", () -> both.erasure(new Jsn(jsn)).orElseThrow().doneMs().isPresent());
      ErasedBody erased = both.erasure(new Jsn(jsn)).orElseThrow();
      assertThat(erased.doneMs()).isPresent();
      assertThat(erased.removal()).isEqualTo(receipt.jsn());
      assertThat(erased.timeMs()).isEqualTo(receipt.timeMs());
      assertThat(erased.receipt().leaf()).isEqualTo(receipt.toFile().leaf());
      assertThat(erased.signers())
          .extracting(ErasedBody.Signer::role)
          .containsExactlyInAnyOrder(Optional.of(Role.OWNER), Optional.of(Role.REGULATOR));
      both.verify(both.receipt(new Jsn(jsn)));
    }
  }

  @Test
  void whatCannotBeErasedIsNotProposed() {
    long jsn = append(SECRET, "ada");
    Path out = home.resolve("none.proposal");
    cli.call("propose", "occult", ledger, "--out", out).hasStatus(ExitCode.USAGE);
    cli.call("propose", "occult", ledger, "--jsn", 0, "--out", out).hasStatus(ExitCode.USAGE);
    cli.call("propose", "occult", ledger, "--jsn", 1, "--out", out).hasStatus(ExitCode.USAGE);
    cli.call("propose", "occult", ledger, "--jsn", 999, "--out", out).hasStatus(ExitCode.REFUSED);
    cli.call("propose", "occult", ledger, "--jsn", jsn, "--basis", "x".repeat(129), "--out", out)
        .hasStatus(ExitCode.USAGE);
    cli.call(
            "propose", "occult", ledger, "--clue", "nobody's", "--from", 0, "--to", 9, "--out", out)
        .hasStatus(ExitCode.USAGE);
    assertThat(out).doesNotExist();
  }
}
