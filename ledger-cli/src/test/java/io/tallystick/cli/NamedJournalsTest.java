package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a journal that is named, by its jsn or by a clue, is verified from the nearest trusted
/// anchor, and its payload is compared with a file; another file ends with status 4, a body that is
/// gone with 3. Method: the command line and the SDK against a real service.
class NamedJournalsTest {
  private static final String TEXT = "contract 7";

  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Path rex;
  private static Path document;
  private static Path other;
  private static long first;
  private static long second;
  private static long erased;
  private static long occult;

  @BeforeAll
  static void fill() throws Exception {
    owned = OwnedLedger.found(home, "named");
    rex = home.resolve("rex.pem");
    document = Files.writeString(home.resolve("document"), TEXT);
    other = Files.writeString(home.resolve("other"), "contract 9");
    String spki = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    call("member", "add", owned.id(), spki, "--role", "regulator", "--key", owned.key())
        .hasStatus(0);
    first = append(TEXT);
    call("anchor", "set", owned.id()).hasStatus(0);
    second = append("contract 8");
    erased = append(TEXT);
    Path proposal = home.resolve("occult.proposal");
    call("propose", "occult", owned.id(), "--jsn", erased, "--out", proposal).hasStatus(0);
    Cli.run("sign", proposal, "--key", owned.key()).hasStatus(0);
    Cli.run("sign", proposal, "--key", rex).hasStatus(0);
    occult = call("submit", proposal, "--json").json().get("jsn").longValue();
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static Cli.Result call(Object... words) {
    return owned.cli().call(words);
  }

  private static long append(String text) {
    return call(
            "append", owned.id(), "--text", text, "--clue", "deal", "--key", owned.key(), "--json")
        .json()
        .get("journals")
        .get(0)
        .get("jsn")
        .longValue();
  }

  private static Cli.Result verify(Object... words) {
    Object[] all = new Object[words.length + 2];
    all[0] = "verify";
    all[1] = owned.id();
    System.arraycopy(words, 0, all, 2, words.length);
    return call(all);
  }

  @Test
  void aJournalIsVerifiedFromTheNearestAnchorAndComparedWithAFile() {
    JsonNode below = verify("--jsn", first, "--data", document, "--json").json();
    assertThat(below.get("jsn").longValue()).isEqualTo(first);
    assertThat(below.get("dataVerified").booleanValue()).isTrue();
    assertThat(below.get("anchorSize").longValue()).isGreaterThan(first);
    assertThat(below.get("signers")).hasSize(1);
    assertThat(verify("--jsn", second, "--json").json().has("anchorSize")).isFalse();
    assertThat(verify("--jsn", first).hasStatus(0).out())
        .contains("under the trusted anchor of ", "they signed it");
    assertThat(verify("--jsn", second, "--data", document).hasStatus(ExitCode.EVIDENCE).err())
        .contains("COMMITMENT_MISMATCH: the header says bodyCommit ");
    assertThat(verify("--jsn", 0).hasStatus(0).out()).contains("genesis");
    verify("--jsn", 0, "--data", document).hasStatus(ExitCode.USAGE);
    verify("--jsn", 99).hasStatus(ExitCode.REFUSED);
  }

  @Test
  void aClueIsVerifiedAndSearchedForAFile() {
    JsonNode above = verify("--clue", "deal", "--json").json();
    assertThat(above.get("before").longValue()).isEqualTo(1);
    assertThat(above.get("jsns").get(0).longValue()).isEqualTo(second);
    assertThat(above.get("jsns")).hasSize(2);
    assertThat(verify("--clue", "deal").hasStatus(0).out())
        .contains("2 journals name clue", "1 below it", "these and no others");
    JsonNode found = verify("--clue", "deal", "--data", document, "--json").json();
    assertThat(found.get("jsn").longValue()).isEqualTo(first);
    assertThat(verify("--clue", "deal", "--data", other).hasStatus(ExitCode.EVIDENCE).err())
        .contains("none of the clue's 3 journals has a bodyCommit to this payload; 1 that might");
    verify("--clue", "never used").hasStatus(0);
  }

  @Test
  void aBodyThatIsGoneIsARefusalThatNamesTheCertificate() {
    assertThat(verify("--jsn", erased).hasStatus(0).out()).contains("body erased");
    assertThat(verify("--jsn", erased, "--data", document).hasStatus(ExitCode.REFUSED).err())
        .contains("refused (erased)", "tally certificate " + owned.id() + " " + occult);
  }

  @Test
  void wordsThatDoNotGoTogetherAreRefused() {
    verify("--jsn", first, "--clue", "deal").hasStatus(ExitCode.USAGE);
    verify("--data", document).hasStatus(ExitCode.USAGE);
    verify("--jsn", -1).hasStatus(ExitCode.USAGE);
    verify("--jsn", first, "--receipt", document).hasStatus(ExitCode.USAGE);
    verify("--jsn", first, "--offline").hasStatus(ExitCode.USAGE);
    verify("--jsn", first, "--data", home.resolve("missing")).hasStatus(ExitCode.FILE);
  }

  @Test
  void aProgramIsToldTheSameAndNotAlarmed() throws Exception {
    ClientConfig config = ClientConfig.of(owned.service().target(), home.resolve("sdk"));
    Bytes data = Bytes.utf8(TEXT);
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger = client.open(LedgerId.fromHex(owned.id()), ClientKey.load(owned.key()));
      assertThat(ledger.anchors().verify(new Jsn(first), data).journal().jsn().value())
          .isEqualTo(first);
      assertThat(ledger.anchors().verify("deal", data).journal().jsn().value()).isEqualTo(first);
      assertThatThrownBy(() -> ledger.anchors().verify(new Jsn(second), data))
          .isInstanceOfSatisfying(
              VerificationException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.COMMITMENT_MISMATCH));
      assertThatThrownBy(() -> ledger.anchors().verify(new Jsn(erased), data))
          .isInstanceOfSatisfying(
              RequestRefusedException.class, e -> assertThat(e.httpStatus()).isEqualTo(451));
      assertThat(ledger.alarm()).isEmpty();
    }
  }
}
