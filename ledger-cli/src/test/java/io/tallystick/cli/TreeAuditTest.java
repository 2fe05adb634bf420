package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.export.TileExport;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.StrandId;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `tally audit --log-key` answers with a report or one line, and the documented status.
/// Method: the command line in this process over an exported log, of which it is told no ledger.
class TreeAuditTest {
  @TempDir private static Path home;
  private static Path log;
  private static String vkey;

  @BeforeAll
  static void exportALog() throws Exception {
    log = home.resolve("log");
    Fixtures founded = Fixtures.ledger();
    ReferenceLedger ledger = ReferenceLedger.found(founded).blocks(founded.single(1));
    try (TileExport export =
        new TileExport(log, false, SignatureProviders.best(), (_, _, _) -> {})) {
      vkey =
          export
              .write(new StrandId(founded.params().ledgerId(), 0), new ReferenceLog(ledger))
              .verifierKey();
    }
  }

  private static Cli.Result audit(Object... options) {
    Object[] words = new Object[options.length + 1];
    words[0] = "audit";
    System.arraycopy(options, 0, words, 1, options.length);
    return Cli.run(words);
  }

  private static void fails(int status, String says, Object... options) {
    Cli.Result result = audit(options).hasStatus(status);
    assertThat(result.err()).startsWith("tally: ").contains(says).hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void keepsTheHeadOfAnAuditThatPassedForTheNextOne() throws Exception {
    Path kept = home.resolve("kept");
    Object[] asked = {"--tiles", log, "--log-key", vkey, "--checkpoint", kept};
    assertThat(audit(asked).hasStatus(ExitCode.OK).out())
        .startsWith("TREE AUDIT PASSED")
        .contains("NO earlier head", "NOT CHECKED: what the entries say");
    assertThat(kept).hasSameBinaryContentAs(log.resolve("checkpoint"));
    assertThat(audit(asked).hasStatus(ExitCode.OK).out()).contains("compared with the head of ");
    Files.writeString(kept, "no head");
    fails(ExitCode.EVIDENCE, kept + ": MALFORMED", asked);
    fails(
        ExitCode.FILE,
        "is a folder, want a file",
        "--tiles",
        log,
        "--log-key",
        vkey,
        "--checkpoint",
        home);
  }

  @Test
  void endsWithStatusFourAndNamesTheFile() throws Exception {
    Path twin = home.resolve("twin");
    Path tile = twin.resolve(hashTile());
    Files.createDirectories(tile.getParent());
    Files.copy(log.resolve("checkpoint"), twin.resolve("checkpoint"));
    Path bundle = twin.resolve(hashTile().replace("/0/", "/entries/"));
    Files.createDirectories(bundle.getParent());
    Files.copy(log.resolve(hashTile().replace("/0/", "/entries/")), bundle);
    Cli.Result result = audit("--tiles", twin, "--log-key", vkey, "--json");
    assertThat(
            result
                .hasStatus(ExitCode.EVIDENCE)
                .parsed()
                .at("/treeAudit/faults/0/detail")
                .asString())
        .isEqualTo("there is no " + hashTile());
  }

  private static String hashTile() throws Exception {
    int size = Integer.parseInt(Files.readAllLines(log.resolve("checkpoint")).get(1));
    return "tile/0/000.p/" + size;
  }

  @Test
  void refusesWhatDoesNotGoTogether() {
    fails(ExitCode.USAGE, "which LEDGER or URL");
    fails(ExitCode.USAGE, "--checkpoint needs --log-key", "--tiles", log, "--checkpoint", "x");
    fails(ExitCode.USAGE, "--log-key needs the URL of a log or --tiles", "--log-key", vkey);
    fails(ExitCode.USAGE, "is no http(s) URL", "0123", "--log-key", vkey);
    fails(
        ExitCode.USAGE,
        "--log-key asks for the tree alone",
        "--tiles",
        log,
        "--log-key",
        vkey,
        "--no-bodies");
    fails(ExitCode.USAGE, "exclude each other", "--tiles", log, "--copy", log, "--log-key", vkey);
    fails(ExitCode.USAGE, "--log-key: no verifier key", "--tiles", log, "--log-key", "key");
    fails(
        ExitCode.USAGE,
        "--log-key: WRONG_KEY",
        "--tiles",
        log,
        "--log-key",
        "x+48f9887e+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  }

  @Test
  void saysThatNobodyIsThere() {
    fails(ExitCode.UNAVAILABLE, "cannot read", "http://127.0.0.1:1/log", "--log-key", vkey);
  }
}
