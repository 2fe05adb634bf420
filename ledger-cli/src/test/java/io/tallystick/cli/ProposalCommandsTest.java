package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: two owners who never meet close a ledger by a file that they hand on; what must not be
/// signed or submitted is refused, and leaves the file as it was. Method: the command line in this
/// process against a real service; `propose` and `sign` are told of none.
class ProposalCommandsTest {
  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;
  private static Path ada;
  private static Path bo;

  @BeforeAll
  static void start() throws Exception {
    service =
        TallystickService.start(LocalNode::open, ServiceProperties.of(home.resolve("data"), 0));
    ada = home.resolve("ada.pem");
    bo = home.resolve("bo.pem");
    Cli.run("keygen", ada).hasStatus(0);
    Cli.run("keygen", bo).hasStatus(0);
    cli = new Cli(service.target(), home.resolve("trust").toString()).withReader(ada);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static String founded(String name) {
    return cli.call("ledger", "create", name, "--key", ada, "--key", bo, "--json")
        .json()
        .get("ledgerId")
        .stringValue();
  }

  @Test
  void twoOwnersCloseALedgerByAFile() throws Exception {
    String ledger = founded("closing");
    Path file = home.resolve("close.proposal");
    String proposed =
        Cli.run("propose", "close", ledger, "--out", file, "--days", 30).hasStatus(0).out();
    assertThat(proposed).contains("close the ledger for ever", "by nobody yet", ledger);

    String signed = Cli.run("sign", file, "--key", ada).hasStatus(0).out();
    assertThat(signed.indexOf("close the ledger")).isLessThan(signed.indexOf("Signed   by"));
    Cli.Result early = cli.call("submit", file).hasStatus(ExitCode.REFUSED);
    String bosKid = Cli.run("sign", file, "--key", bo, "--json").json().get("signers").toString();
    assertThat(early.err()).contains("signatures_missing", "OWNER ");
    assertThat(bosKid).contains(kidNamedIn(early.err()));

    JsonNode done = cli.call("submit", file, "--json").json();
    assertThat(done.get("jsn").longValue()).isEqualTo(2);
    assertThat(done.get("signers")).hasSize(2);
    cli.call("append", ledger, "--text", "late", "--key", ada).hasStatus(ExitCode.REFUSED);
  }

  private static String kidNamedIn(String words) {
    return words.replaceFirst("(?s).*OWNER ([0-9a-f]{64}).*", "$1");
  }

  @Test
  void everyChangeCanBeProposed() throws Exception {
    String ledger = founded("changes");
    Path key = home.resolve("carol.pem");
    String spki = Cli.run("keygen", key, "--json").json().get("spki").stringValue();
    List<List<Object>> changes =
        List.of(
            List.of("add", ledger, spki, "--role", "readOnly"),
            List.of("grant", ledger, spki, "--role", "normal", "--until", "2099-01-01T00:00:00Z"));
    for (int i = 0; i < changes.size(); i++) {
      Path file = home.resolve("change" + i);
      List<Object> words = new java.util.ArrayList<>(List.of("propose"));
      words.addAll(changes.get(i));
      words.addAll(List.of("--out", file));
      Cli.run(words.toArray()).hasStatus(0);
      Cli.run("sign", file, "--key", bo).hasStatus(0);
      cli.call("submit", file).hasStatus(0);
    }
    JsonNode carol = cli.call("member", "list", ledger, "--json").json().get("members").get(2);
    assertThat(carol.get("role").stringValue()).isEqualTo("normal");
    Path revoke = home.resolve("revoke");
    Cli.run("propose", "revoke", ledger, carol.get("kid").stringValue(), "--out", revoke)
        .hasStatus(0);
    Cli.run("sign", revoke, "--key", ada).hasStatus(0);
    cli.call("submit", revoke).hasStatus(0);
    Path clues = home.resolve("clues");
    assertThat(
            Cli.run("propose", "clues", ledger, "--from-block", 9, "--out", clues)
                .hasStatus(0)
                .out())
        .contains("enable [CLUE_TRIE] from block 9 on");
  }

  @Test
  void theServiceKeepsAProposalUntilTheLastSignature() throws Exception {
    String ledger = founded("kept");
    Path adas = home.resolve("kept-ada");
    Cli.run("propose", "close", ledger, "--out", adas).hasStatus(0);
    cli.call("proposal", "put", adas).hasStatus(ExitCode.USAGE);
    Cli.run("sign", adas, "--key", ada).hasStatus(0);
    JsonNode kept = cli.call("proposal", "put", adas, "--json").json();
    assertThat(kept.get("status").stringValue()).isEqualTo("open");
    assertThat(kept.get("missing")).hasSize(1);
    String hash = kept.get("requestHash").stringValue();
    String bosKid = kept.get("missing").get(0).get("kid").stringValue();

    Cli asBo = cli.withReader(bo);
    assertThat(asBo.call("proposal", "list", ledger).hasStatus(0).out())
        .contains(hash + "  open, says the service; missing owner " + bosKid);
    Path bos = home.resolve("kept-bo");
    assertThat(asBo.call("proposal", "get", ledger, hash, "--out", bos).hasStatus(0).out())
        .contains("asks to  close the ledger for ever", "missing owner " + bosKid);
    asBo.call("proposal", "get", ledger, hash, "--out", bos).hasStatus(ExitCode.FILE);
    Cli.run("sign", bos, "--key", bo).hasStatus(0);
    assertThat(asBo.call("proposal", "put", bos).hasStatus(0).out()).contains("done at jsn 2");
    cli.call("append", ledger, "--text", "late", "--key", ada).hasStatus(ExitCode.REFUSED);
    cli.call("proposal", "withdraw", ledger, hash).hasStatus(ExitCode.REFUSED);
  }

  @Test
  void aKeptProposalIsWithdrawn() throws Exception {
    String ledger = founded("withdrawn");
    Path file = home.resolve("withdrawn");
    Cli.run("propose", "close", ledger, "--out", file).hasStatus(0);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    String hash =
        cli.call("proposal", "put", file, "--json").json().get("requestHash").stringValue();
    cli.call("proposal", "withdraw", ledger, hash).hasStatus(0);
    assertThat(cli.call("proposal", "get", ledger, hash).hasStatus(ExitCode.REFUSED).err())
        .contains("unknown_proposal");
    assertThat(cli.call("proposal", "list", ledger).hasStatus(0).out()).contains("No proposals.");
    cli.call("proposal", "get", ledger, "nonsense").hasStatus(ExitCode.USAGE);
  }

  @Test
  void refusesWhatMustNotBeSignedAndLeavesTheFile() throws Exception {
    Path file = home.resolve("refused.proposal");
    Cli.run("propose", "close", "ab".repeat(32), "--out", file).hasStatus(0);
    cli.call("submit", file).hasStatus(ExitCode.USAGE);
    Cli.run("propose", "close", "ab".repeat(32), "--out", file).hasStatus(ExitCode.FILE);
    Cli.run("propose", "close", "ab".repeat(32), "--out", home.resolve("long"), "--days", 31)
        .hasStatus(ExitCode.USAGE);
    Cli.run("sign", file, "--key", ada).hasStatus(0);
    byte[] once = Files.readAllBytes(file);
    Cli.Result twice = Cli.run("sign", file, "--key", ada).hasStatus(ExitCode.USAGE);
    assertThat(twice.err()).contains("has signed").contains("already");
    assertThat(Files.readAllBytes(file)).isEqualTo(once);
    assertThat(Cli.run("sign", file).hasStatus(0).out()).contains("signed   by ");

    Proposal proposal = Proposal.decode(Bytes.wrap(once));
    byte[] otherSalt = once.clone();
    int salt =
        new String(once, java.nio.charset.StandardCharsets.ISO_8859_1)
            .indexOf(
                new String(
                    proposal.salt().toArray(), java.nio.charset.StandardCharsets.ISO_8859_1));
    otherSalt[salt] ^= 1;
    Path bent = home.resolve("bent.proposal");
    Files.write(bent, otherSalt);
    Cli.Result refused = Cli.run("sign", bent, "--key", bo).hasStatus(ExitCode.FILE);
    assertThat(refused.err()).contains("salt does not fit");
    assertThat(Files.readAllBytes(bent)).isEqualTo(otherSalt);
    Cli.run("sign", ada, "--key", bo).hasStatus(ExitCode.FILE);
  }
}
