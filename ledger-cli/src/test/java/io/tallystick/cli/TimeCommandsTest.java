package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.source.LogCopy;
import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.model.Role;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.time.StampedLog;
import io.tallystick.testkit.time.TestTimeAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: the command line judges tokens by the authorities that it is given, says what they prove,
/// and exports them. Method: the command line in this process, over a saved log with tokens of an
/// authority of the test's own.
class TimeCommandsTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("named");
  private static final Fixtures FIXTURES = Fixtures.ledger();
  private static final String LEDGER = FIXTURES.params().ledgerId().hex();

  @TempDir private static Path home;
  private static Path copy;
  private static Path ca;
  private static Path stranger;

  /// At + 10 ms time about genesis (2), at + 20 ms Alice (4), Carol becomes a member (6), time (8).
  @BeforeAll
  static void saveALog() throws Exception {
    StampedLog stamped = new StampedLog(ReferenceLedger.found(FIXTURES)).anchor(AUTHORITY);
    stamped
        .log()
        .blocks(FIXTURES.single(1), FIXTURES.memberAdd(Role.NORMAL, Fixtures.CAROL.publicKey()));
    stamped.anchor(AUTHORITY);
    copy = home.resolve("log.copy");
    LogCopy.save(new ReferenceLog(stamped.log()), copy);
    ca = pem("ca.pem", AUTHORITY);
    stranger = pem("stranger.pem", new TestTimeAuthority("stranger"));
  }

  private static Path pem(String name, TestTimeAuthority authority) throws Exception {
    String base64 = Base64.getMimeEncoder().encodeToString(authority.root().getEncoded());
    return Files.writeString(
        home.resolve(name),
        "-----BEGIN CERTIFICATE-----\n" + base64 + "\n-----END CERTIFICATE-----\n");
  }

  private static Cli.Result tally(Object... words) {
    return new Cli("127.0.0.1:1", home.resolve("nobody").toString()).call(words);
  }

  private static Cli.Result audit(Object... options) {
    Object[] words = new Object[options.length + 4];
    System.arraycopy(new Object[] {"audit", LEDGER, "--copy", copy}, 0, words, 0, 4);
    System.arraycopy(options, 0, words, 4, options.length);
    return tally(words);
  }

  @Test
  void judgesTokensByTheAuthoritiesThatAreGiven() {
    assertThat(audit().hasStatus(0).out())
        .contains("2 time journals NOT JUDGED: no authority was given", "NOT ANCHORED");
    assertThat(audit("--tsa-ca", ca).hasStatus(0).out())
        .contains("2 tokens of trusted authorities, from 2026-09-21T14:13:20.005Z")
        .contains("3 journals within 30 ms");
    audit("--tsa-ca", stranger, "--tsa-ca", ca).hasStatus(0);
    Cli.Result other = audit("--tsa-ca", stranger).hasStatus(ExitCode.EVIDENCE);
    assertThat(other.out())
        .startsWith("AUDIT FAILED at jsn 2")
        .contains("TIME_TOKEN_REFUSED: NO_CHAIN");
  }

  @Test
  void failsForAWindowThatIsTooLong() {
    audit("--tsa-ca", ca, "--max-window", "30").hasStatus(0);
    assertThat(audit("--tsa-ca", ca, "--max-window", "29").hasStatus(ExitCode.EVIDENCE).out())
        .contains("TIME_WINDOW_TOO_WIDE");
    assertThat(audit("--max-window", "30").hasStatus(ExitCode.USAGE).err())
        .isEqualTo("tally: --max-window needs --tsa-ca: without it no token is judged\n");
    audit("--tsa-ca", ca, "--max-window=-1").hasStatus(ExitCode.USAGE);
  }

  @Test
  void saysWhatIsWrongWithAFileOfCertificates() throws Exception {
    Path missing = home.resolve("missing.pem");
    assertThat(audit("--tsa-ca", missing).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + missing + " does not exist\n");
    Path empty = Files.writeString(home.resolve("empty.pem"), "");
    assertThat(audit("--tsa-ca", empty).hasStatus(ExitCode.FILE).err())
        .startsWith("tally: " + empty + ": ");
  }

  @Test
  void showsMembersInJson() {
    JsonNode audit = audit("--tsa-ca", ca, "--json").json().get("audit");
    assertThat(audit.get("time").get("judged").intValue()).isEqualTo(2);
    assertThat(audit.get("memberCount").intValue()).isEqualTo(3);
    JsonNode carol =
        audit
            .get("members")
            .valueStream()
            .filter(each ->
                each.get("kid").stringValue().equals(Fixtures.CAROL.publicKey().kid().hex()))
            .findFirst()
            .orElseThrow();
    assertThat(carol.get("role").stringValue()).isEqualTo("normal");
    assertThat(carol.get("standing").stringValue()).isEqualTo("valid");
    assertThat(carol.get("sinceJsn").intValue()).isEqualTo(6);
    assertThat(carol.get("replacedBy").isNull()).isTrue();
    assertThat(audit.get("rotations")).isEmpty();
  }

  @Test
  void writesOnePage() throws Exception {
    Path page = home.resolve("report.html");
    audit("--tsa-ca", ca, "--html", page).hasStatus(0);
    assertThat(Files.readString(page))
        .contains("<h1 class=\"passed\">Passed", "2 tokens of trusted authorities", "since 6")
        .doesNotContain("<script");
    assertThat(audit("--html", page).hasStatus(ExitCode.FILE).err())
        .isEqualTo("tally: " + page + " exists and is not overwritten\n");
    Path failed = home.resolve("failed.html");
    audit("--tsa-ca", stranger, "--html", failed).hasStatus(ExitCode.EVIDENCE);
    assertThat(Files.readString(failed))
        .contains("<h1 class=\"failed\">Failed at jsn 2", "TIME_TOKEN_REFUSED");
  }

  @Test
  void exportsTokens() {
    Path folder = home.resolve("tokens");
    Cli.Result result = tally("time", "export", LEDGER, "--copy", copy, "--out", folder);
    assertThat(result.hasStatus(0).out())
        .isEqualTo("2 tokens exported to " + folder + "; commands.txt has a command for each\n");
    assertThat(folder.resolve("8.tst")).exists();
    assertThat(folder.resolve("8.head")).exists();
    tally("time", "export", LEDGER, "--copy", copy, "--out", folder).hasStatus(ExitCode.FILE);
    tally("time", "export", LEDGER, "--copy", copy).hasStatus(ExitCode.USAGE);
  }
}
