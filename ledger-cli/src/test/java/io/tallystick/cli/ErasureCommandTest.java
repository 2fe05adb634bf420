package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.model.Bytes;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SampleRemoval;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.time.TimeQuery;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: the certificate of a removal is checked from its file alone, for people, for programs and
/// as a page; what is not right is refused and leaves no page. Method: the sample's certificate.
class ErasureCommandTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("outsider");
  private static final String LEDGER = Fixtures.ledger().strand().ledger().hex();

  @TempDir private Path folder = Path.of("");

  private Path write(String name, Bytes content) throws Exception {
    return Files.write(folder.resolve(name), content.toArray());
  }

  private Path good() throws Exception {
    return write("good", SampleRemoval.certificate().encode());
  }

  @Test
  void theTextSaysWhatWasErasedOnWhoseOrderAndWhen() throws Exception {
    String text = Cli.run("certificate", LEDGER, "--verify", good()).hasStatus(0).out();
    assertThat(text)
        .contains("verified", "bodies of 2 journals", "journal 4", "journal 6")
        .contains(Fixtures.ALICE.publicKey().kid().hex(), "role owner", "role regulator")
        .contains("Its basis: GDPR, Art. 17.")
        .contains("Ordered at 2026-09-21T14:13:20Z", "Erased at 2026-09-21T14:13:25Z")
        .contains("Time journal 12", "was not judged here")
        .contains("service's word", "Backups");
  }

  @Test
  void theObjectHasTheSame() throws Exception {
    JsonNode row =
        Cli.run("certificate", LEDGER, "10", "--verify", good(), "--json").hasStatus(0).json();
    assertThat(row.get("removal").intValue()).isEqualTo(10);
    assertThat(row.get("kind").intValue()).isEqualTo(22);
    assertThat(row.get("basis").stringValue()).isEqualTo(SampleRemoval.BASIS);
    assertThat(row.get("signers").size()).isEqualTo(2);
    assertThat(row.get("doneMs").longValue()).isEqualTo(SampleRemoval.DONE_MS);
    assertThat(row.get("count").intValue()).isEqualTo(2);
    assertThat(row.get("targets").get(1).get("jsn").intValue()).isEqualTo(6);
    assertThat(row.get("time").get("jsn").intValue()).isEqualTo(12);
  }

  @Test
  void thePageIsWrittenOnceAndEscapesTheBasis() throws Exception {
    Path page = folder.resolve("page.html");
    Cli.run("certificate", LEDGER, "--verify", good(), "--page", page).hasStatus(0);
    assertThat(page)
        .content()
        .startsWith("<!DOCTYPE html>")
        .contains("On whose order", "GDPR, Art. 17")
        .doesNotContain("<script");
    Cli.run("certificate", LEDGER, "--verify", good(), "--page", page).hasStatus(ExitCode.FILE);
    Path marked = write("marked", SampleRemoval.certificate("<script>&").encode());
    Path other = folder.resolve("other.html");
    Cli.run("certificate", LEDGER, "--verify", marked, "--page", other).hasStatus(0);
    assertThat(other).content().contains("&lt;script&gt;&amp;").doesNotContain("<script");
  }

  @Test
  void theTokenOfTheTimeJournalIsJudgedByTrustedAuthorities() throws Exception {
    Cli.Result judged = timed(Fixtures.TIME_MS + 10_000).hasStatus(0);
    assertThat(judged.json().get("time").get("provenMs").longValue())
        .isEqualTo(Fixtures.TIME_MS + 10_000);
    assertThat(timed(Fixtures.TIME_MS + 10_001).hasStatus(ExitCode.EVIDENCE).err())
        .contains("time journal 12 is of");
    Cli.run("certificate", LEDGER, "--verify", good(), "--tsa-ca", authorities())
        .hasStatus(ExitCode.EVIDENCE);
  }

  /// A certificate under a time journal whose token is of this time.
  private Cli.Result timed(long genTimeMs) throws Exception {
    Fixtures ledger = Fixtures.ledger();
    ReferenceLedger log = SampleRemoval.occulted(ledger, SampleRemoval.log(ledger), 4, 6);
    Checkpoint head =
        new Checkpoint(ledger.params().origin(0), new TreeSize(log.size()), log.rootAt(log.size()));
    Rfc3161Tokens tokens = new Rfc3161Tokens();
    TimeQuery query = new TimeQuery(head.imprint(), BigInteger.ONE, null);
    Bytes token =
        tokens.tokenOf(
            AUTHORITY.answer(
                tokens.query(query), Instant.ofEpochMilli(genTimeMs), recipe -> recipe));
    SampleRemoval.timed(ledger, log, token);
    RemovalCertificate certificate =
        SampleRemoval.withTime(
            SampleRemoval.certificate(log, 10, SampleRemoval.statement(log, 10, 4, 2), 4, 6),
            SampleRemoval.file(log, 12));
    Path file = write("timed-" + genTimeMs, certificate.encode());
    return Cli.run("certificate", LEDGER, "--verify", file, "--tsa-ca", authorities(), "--json");
  }

  private Path authorities() throws Exception {
    String pem =
        String.format(
            Locale.ROOT,
            "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n",
            Base64.getMimeEncoder().encodeToString(AUTHORITY.root().getEncoded()));
    return Files.writeString(folder.resolve("ca.pem"), pem);
  }

  @Test
  void whatDoesNotVerifyHasStatusFourAndLeavesNoPage() throws Exception {
    RemovalCertificate right = SampleRemoval.certificate();
    Path short1 =
        write("short", SampleRemoval.withTargets(right, right.targets().subList(0, 1)).encode());
    Path page = folder.resolve("page.html");
    Cli.Result refused =
        Cli.run("certificate", LEDGER, "--verify", short1, "--page", page)
            .hasStatus(ExitCode.EVIDENCE);
    assertThat(refused.err()).contains("EVIDENCE DOES NOT VERIFY", "1 target receipts, want 2");
    assertThat(page).doesNotExist();
    Cli.run("certificate", LEDGER, "8", "--verify", good()).hasStatus(ExitCode.EVIDENCE);
    Cli.run("certificate", "0".repeat(64), "--verify", good()).hasStatus(ExitCode.EVIDENCE);
    Cli.run("certificate", LEDGER, "--verify", write("none", Bytes.utf8("none")))
        .hasStatus(ExitCode.FILE);
    Cli.run("certificate", LEDGER, "--verify", folder.resolve("absent")).hasStatus(ExitCode.FILE);
    Cli.run("certificate", LEDGER).hasStatus(ExitCode.USAGE);
  }
}
