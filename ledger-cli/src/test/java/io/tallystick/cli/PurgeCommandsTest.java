package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: who owns a ledger purges its beginning from the command line; nobody signs a snapshot that
/// does not follow from the log. An owner who was let in above what the purge removes signs it,
/// too. Method: the command line in this process against a real service.
class PurgeCommandsTest {
  @TempDir private static Path home;
  private static RunningService service;
  private static Cli cli;

  /// Of a user whose newest head is below what is purged.
  private static Cli old;

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
    old = new Cli(service.target(), home.resolve("old").toString()).withReader(ada);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /// Of Ada and Bo, with five journals of Ada's in blocks 1 to 5.
  private static String filled(String name) {
    String ledger =
        cli.call("ledger", "create", name, "--key", ada, "--key", bo, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    for (int i = 0; i < 5; i++) {
      cli.call("append", ledger, "--text", "journal " + i, "--clue", "c", "--key", ada)
          .hasStatus(0);
    }
    return ledger;
  }

  @Test
  void whoSignsHasAuditedFirst() throws Exception {
    String ledger = filled("purged");
    Path cy = home.resolve("cy.pem");
    String cys = Cli.run("keygen", cy, "--json").json().get("spki").stringValue();
    cli.call("member", "add", ledger, cys, "--role", "owner", "--key", ada).hasStatus(0);
    Path file = home.resolve("purge.proposal");
    String prepared =
        cli.call("purge", "prepare", ledger, "--height", 3, "--recall-days", 0, "--out", file)
            .hasStatus(0)
            .out();
    assertThat(prepared).contains("remove all journals below 8", "to sign  ");
    assertThat(prepared).doesNotContain("absent   ");
    byte[] unsigned = Files.readAllBytes(file);
    String adasKid = prepared.replaceFirst("(?s).*to sign  ([0-9a-f]{64}).*", "$1");
    Cli.Result other =
        cli.call("purge", "sign", file, "--key", ada, "--absent", adasKid)
            .hasStatus(ExitCode.USAGE);
    assertThat(other.err())
        .contains("the snapshot calls absent nobody, you named " + adasKid, "without --absent");
    assertThat(Cli.run("sign", file, "--key", ada).hasStatus(ExitCode.USAGE).err())
        .contains("`tally purge sign " + file + " --key " + ada + "`");
    assertThat(Files.readAllBytes(file)).isEqualTo(unsigned);
    assertThat(cli.call("purge", "sign", file, "--key", bo).hasStatus(0).out())
        .contains("The snapshot follows from the log");
    cli.call("purge", "submit", file).hasStatus(ExitCode.REFUSED);
    cli.call("purge", "sign", file, "--key", ada).hasStatus(0);
    cli.call("purge", "sign", file, "--key", ada).hasStatus(ExitCode.USAGE);
    cli.call("purge", "sign", file, "--key", cy).hasStatus(0);
    JsonNode done = cli.call("purge", "submit", file, "--json").json();
    long purge = done.get("jsn").longValue();
    assertThat(cli.call("get", ledger, 8).hasStatus(0).out()).contains("journal 3");
    certificate(ledger, purge);
    Cli.Result audited = cli.call("audit", ledger).hasStatus(0);
    assertThat(audited.out())
        .contains("AUDIT PASSED from jsn 8 on", "NOT CHECKED: all below 8, which purge " + purge);
    Path files = home.resolve("purged-files");
    assertThat(cli.call("export", ledger, files).hasStatus(0).out())
        .contains("from jsn 8 on; a purge removed what is below");
    assertThat(cli.call("audit", ledger, "--tiles", files, "--no-bodies").hasStatus(0).out())
        .contains("AUDIT PASSED from jsn 8 on");
    Path copy = home.resolve("copy");
    JsonNode removals =
        cli.call("audit", ledger, "--save", copy, "--json").json().get("audit").get("removals");
    assertThat(removals.get("prefix").get("purgeJsn").longValue()).isEqualTo(purge);
    assertThat(removals.get("purges").get(0).get("signers")).hasSize(3);
    assertThat(cli.call("audit", ledger, "--copy", copy).hasStatus(0).out())
        .contains("AUDIT PASSED from jsn 8 on");
  }

  private static void certificate(String ledger, long purge) throws Exception {
    Path saved = home.resolve("purge.certificate");
    Waiting.until(
        "the bodies are erased",
        () -> {
          var _ = cli.call("certificate", ledger, purge, "--save", saved);
          return Files.exists(saved);
        });
    Cli.Result fetched =
        cli.call("certificate", ledger, purge, "--save", home.resolve("again.certificate"));
    assertThat(fetched.hasStatus(0).out()).contains("purge");
    assertThat(Cli.run("certificate", ledger, purge, "--verify", saved).hasStatus(0).out())
        .contains("A purge removed all journals from jsn 0 to 7. Their bodies are erased.")
        .contains(
            "Leaves, signatures and operations of journals 0 to 7, until a purge goes further");
    cli.call("certificate", ledger, purge, "--save", saved).hasStatus(ExitCode.FILE);
    cli.call("certificate", ledger).hasStatus(ExitCode.USAGE);
  }

  /// Blocks 1 to 4: a member; ten journals of clue "d"; 300 of clue "c"; one of both.
  private static String filledLong(String name, String spki) {
    String ledger =
        cli.call("ledger", "create", name, "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    cli.call("member", "add", ledger, spki, "--key", ada).hasStatus(0);
    old.call("verify", ledger).hasStatus(0);
    batch(ledger, 10, "d");
    batch(ledger, 300, "c");
    cli.call("append", ledger, "--text", "last", "--clue", "c", "--clue", "d", "--key", ada)
        .hasStatus(0);
    return ledger;
  }

  private static void batch(String ledger, int journals, String clue) {
    List<Object> words = new ArrayList<>(List.of("append", ledger, "--clue", clue, "--key", ada));
    for (int i = 0; i < journals; i++) {
      words.addAll(List.of("--text", "journal " + i));
    }
    cli.call(words.toArray()).hasStatus(0);
  }

  @Test
  void whatWentIsShownByItsPurge() {
    Path cy = home.resolve("reader.pem");
    String spki = Cli.run("keygen", cy, "--json").json().get("spki").stringValue();
    String ledger = filledLong("long", spki);
    Path file = home.resolve("long.proposal");
    cli.call("purge", "prepare", ledger, "--height", 3, "--recall-days", 0, "--out", file)
        .hasStatus(0);
    cli.call("purge", "sign", file, "--key", ada).hasStatus(0);
    long purge = cli.call("purge", "submit", file, "--json").json().get("jsn").longValue();

    Path payload = home.resolve("purged.payload");
    Cli.Result gone = cli.call("get", ledger, 5, "--payload", payload).hasStatus(ExitCode.REFUSED);
    assertThat(gone.out())
        .contains("removed   by purge " + purge, "with all below 316", "ordered   by owner ")
        .contains("Verified: this purge stands in the log")
        .doesNotContain("occult", "basis");
    assertThat(payload).doesNotExist();
    JsonNode row = cli.call("get", ledger, 5, "--json").hasStatus(ExitCode.REFUSED).parsed();
    assertThat(row.get("erasure").get("kind").stringValue()).isEqualTo("purge");
    assertThat(row.get("erasure").get("jsn").longValue()).isEqualTo(purge);
    assertThat(cli.call("get", ledger, 2).hasStatus(0).out())
        .contains("member add", "Verified: stands at this jsn")
        .doesNotContain("occult");
    lineages(ledger, purge);
    old.call("audit", ledger, "--save", home.resolve("old.copy")).hasStatus(0);
  }

  private static void lineages(String ledger, long purge) {
    Path proof = home.resolve("d.lineage");
    assertThat(cli.call("lineage", ledger, "d", "--save", proof).hasStatus(0).out())
        .contains("Purge " + purge + " removed 10 journals of this clue, below 316.")
        .contains("Verified: this journal names \"d\"", ", from 316 on, and no other does.");
    assertThat(cli.call("verify", ledger, "--lineage", proof, "--clue", "d").hasStatus(0).out())
        .contains("Verified: 1 journal among the first ", " names \"d\"; 10 journals stood before")
        .contains("which the file does not show, and no other of these leaves does.");
    JsonNode row = cli.call("lineage", ledger, "c", "--verify", "--json").json();
    assertThat(row.get("journals")).hasSize(1);
    assertThat(row.get("journals").get(0).get("jsn").longValue()).isEqualTo(316);
    assertThat(row.get("removed").longValue()).isEqualTo(300);
    assertThat(row.get("complete").booleanValue()).isFalse();
    assertThat(cli.call("lineage", ledger, "d", "--as-of-block", 4).hasStatus(0).out())
        .contains("Verified: this journal names");
    cli.call("lineage", ledger, "d", "--as-of-block", 2).hasStatus(ExitCode.REFUSED);
    assertThat(cli.call("lineage", ledger, "never").hasStatus(0).out()).contains("no journal");
  }

  @Test
  void anOwnerTakesAPurgeBack() throws Exception {
    String ledger = filled("recalled");
    Path file = home.resolve("recalled.proposal");
    cli.call("purge", "prepare", ledger, "--height", 2, "--out", file).hasStatus(0);
    cli.call("purge", "sign", file, "--key", ada).hasStatus(0);
    long purge = cli.call("purge", "submit", file, "--json").json().get("jsn").longValue();
    Path recall = home.resolve("recall.proposal");
    Cli.run("purge", "recall", ledger, "--purge", purge, "--out", recall).hasStatus(0);
    Cli.run("sign", recall, "--key", bo).hasStatus(0);
    cli.call("submit", recall).hasStatus(0);
    assertThat(cli.call("get", ledger, 2).hasStatus(0).out()).contains("journal 0");
  }

  @Test
  void whatCannotBePreparedIsSaid() {
    String ledger = filled("refused");
    Path file = home.resolve("never.proposal");
    cli.call("purge", "prepare", ledger, "--height", 99, "--out", file).hasStatus(ExitCode.REFUSED);
    cli.call("purge", "prepare", ledger, "--height", 0, "--out", file).hasStatus(ExitCode.USAGE);
    cli.call("purge", "prepare", ledger, "--height", 1, "--recall-days", 91, "--out", file)
        .hasStatus(ExitCode.USAGE);
    cli.call("purge", "prepare", ledger, "--height", 1, "--absent", "x", "--out", file)
        .hasStatus(ExitCode.USAGE);
    assertThat(file).doesNotExist();
  }

  /// Twice: whoever signs the second purge goes on from the state that the first has left.
  @Test
  void aLedgerWithAStateIsPurgedAndAudited() throws Exception {
    String ledger =
        cli.call("ledger", "create", "stateful", "--state", "--key", ada, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    for (int i = 0; i < 6; i++) {
      cli.call("state", "put", ledger, "key " + i % 4, "value " + i, "--key", ada).hasStatus(0);
    }
    for (int height = 2; height <= 8; height += 6) {
      Path file = home.resolve(String.format(Locale.ROOT, "stateful.%d.proposal", height));
      cli.call("purge", "prepare", ledger, "--height", height, "--recall-days", 0, "--out", file)
          .hasStatus(0);
      cli.call("purge", "sign", file, "--key", ada).hasStatus(0);
      cli.call("purge", "submit", file).hasStatus(0);
      assertThat(cli.call("state", "get", ledger, "key 2").hasStatus(0).out()).contains("value 2");
      cli.call("state", "put", ledger, "key 0", "again", "--key", ada).hasStatus(0);
      assertThat(cli.call("audit", ledger).hasStatus(0).out())
          .contains("AUDIT PASSED from jsn " + 2 * (height + 1) + " on");
    }
    Path copy = home.resolve("stateful.copy");
    cli.call("audit", ledger, "--save", copy).hasStatus(0);
    cli.call("audit", ledger, "--copy", copy).hasStatus(0);
    Path files = home.resolve("stateful-files");
    cli.call("export", ledger, files).hasStatus(0);
    assertThat(files.resolve("snapshot/state")).isNotEmptyFile();
    cli.call("audit", ledger, "--tiles", files, "--no-bodies").hasStatus(0);
  }
}
