package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a ledger exported as public files is audited from there without its service, and what
/// cannot be exported or audited is said in one line. Method: the command line in this process
/// against a real service.
class ExportCommandTest {
  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli cli;
  private static String ledger;
  private static Path exported;

  @BeforeAll
  static void export() throws Exception {
    owned = OwnedLedger.found(home, "public");
    Path key = owned.key();
    cli = owned.cli();
    ledger = owned.id();
    cli.call("append", ledger, "--text", "one", "--key", key).hasStatus(0);
    exported = home.resolve("public");
    cli.call("export", ledger, exported).hasStatus(0);
    cli.call("append", ledger, "--text", "two", "--key", key).hasStatus(0);
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static Cli.Result auditAlone(Object... options) {
    Object[] words = new Object[options.length + 2];
    words[0] = "audit";
    words[1] = ledger;
    System.arraycopy(options, 0, words, 2, options.length);
    return new Cli("127.0.0.1:1", home.resolve("stranger").toString()).call(words);
  }

  @Test
  void anExportIsAuditedWithoutItsService() {
    Cli.Result result = auditAlone("--tiles", exported, "--no-bodies").hasStatus(0);
    assertThat(result.out())
        .startsWith("AUDIT PASSED")
        .contains("signed by the service, as checkpoint\n")
        .contains("NOT CHECKED");
  }

  @Test
  void withBodiesAllOfItIsAudited() {
    Path folder = home.resolve("with-bodies");
    JsonNode json = cli.call("export", ledger, folder, "--bodies", "--json").json();
    assertThat(json.get("verifierKey").stringValue()).startsWith("localhost/l/" + ledger + "/0+");
    JsonNode audit = auditAlone("--tiles", folder, "--json").json().get("audit");
    assertThat(audit.get("result").stringValue()).isEqualTo("passed");
    assertThat(audit.get("root")).isEqualTo(json.get("root"));
    assertThat(audit.get("counts").get("bodies").intValue()).isEqualTo(2);
  }

  @Test
  void aLaterExportAddsWhatIsNew() {
    Path folder = home.resolve("growing");
    long first = cli.call("export", ledger, folder, "--json").json().get("size").longValue();
    cli.call("append", ledger, "--text", "more", "--key", home.resolve("owner.pem")).hasStatus(0);
    long second = cli.call("export", ledger, folder, "--json").json().get("size").longValue();
    assertThat(second).isGreaterThan(first);
    auditAlone("--tiles", folder, "--no-bodies").hasStatus(0);
  }

  @Test
  void aChangedExportFailsTheAudit() throws Exception {
    Path folder = home.resolve("changed");
    cli.call("export", ledger, folder).hasStatus(0);
    Path entries;
    try (var files = Files.walk(folder.resolve("tile/entries"))) {
      entries = files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
    byte[] content = Files.readAllBytes(entries);
    content[content.length - 1] ^= 1;
    Files.write(entries, content);
    Cli.Result result = auditAlone("--tiles", folder, "--no-bodies").hasStatus(ExitCode.EVIDENCE);
    assertThat(result.out()).startsWith("AUDIT FAILED at jsn");
  }

  @Test
  void twoLedgersAreNotMixedInOneFolder() {
    String key = home.resolve("owner.pem").toString();
    String other =
        cli.call("ledger", "create", "other", "--key", key, "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    fails(
        cli.call("export", other, exported),
        ExitCode.FILE,
        exported + ": holds the export of another ledger");
    auditAlone("--tiles", exported, "--no-bodies").hasStatus(0);
    fails(
        cli.call("export", ledger, home),
        ExitCode.FILE,
        home + ": is not empty and holds no export");
  }

  @Test
  void anExportIsNotAuditedForAnotherLedger() {
    Cli.Result result =
        new Cli("127.0.0.1:1", home.resolve("stranger").toString())
            .call("audit", "0".repeat(64), "--tiles", exported)
            .hasStatus(ExitCode.EVIDENCE);
    assertThat(result.out()).contains("WRONG_LEDGER");
  }

  @Test
  void bodiesThatAreNotThereAreAFaultUnlessTheExportSaysSo() throws Exception {
    Path leftOut = exported.resolve("left-out");
    byte[] says = Files.readAllBytes(leftOut);
    Files.delete(leftOut);
    Cli.Result result = auditAlone("--tiles", exported).hasStatus(ExitCode.EVIDENCE);
    assertThat(result.out()).contains("there is no bodies/000.p/");
    Files.write(leftOut, says);
    assertThat(auditAlone("--tiles", exported).hasStatus(0).out()).contains("NOT CHECKED: this");
  }

  @Test
  void saysInOneLineWhatIsWrongWithTheCommand() throws Exception {
    fails(
        auditAlone("--tiles", exported, "--copy", exported),
        ExitCode.USAGE,
        "--copy, --save and --tiles exclude each other");
    fails(
        auditAlone("--tiles", "ftp://example.org/log"),
        ExitCode.USAGE,
        "--tiles ftp://example.org/log is no folder and no http(s) URL");
    Path absent = home.resolve("absent");
    fails(auditAlone("--tiles", absent), ExitCode.FILE, absent + " does not exist");
    fails(
        auditAlone("--tiles", "http://127.0.0.1:1/log"),
        ExitCode.UNAVAILABLE,
        "cannot read http://127.0.0.1:1/log/");
    Path file = Files.writeString(home.resolve("file"), "");
    fails(cli.call("export", ledger, file), ExitCode.FILE, file + ": is a file, want a folder");
    fails(
        cli.call("export", "0".repeat(64), home.resolve("unknown")),
        ExitCode.REFUSED,
        "refused (token_invalid)");
  }

  private static void fails(Cli.Result result, int status, String says) {
    assertThat(result.hasStatus(status).err()).startsWith("tally: " + says).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }
}
