package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.journal.Extension;
import io.tallystick.journal.Kind;
import io.tallystick.journal.TimeProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.TreeSize;
import io.tallystick.note.Checkpoint;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.ReferenceLedger;
import io.tallystick.testkit.SavedLog;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.time.TimeQuery;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: what convicts a service is written and convicts it again for a stranger; what does not is
/// refused and leaves no file. Method: logs of a service that lies, by the test kit, as receipts
/// and copies on disk.
class EvidenceCommandTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("outsider");

  @TempDir private Path folder = Path.of("");

  private final Fixtures ledger = Fixtures.ledger();
  private int evidences;

  private String id() {
    return ledger.strand().ledger().toString();
  }

  private Path write(String name, Bytes content) throws Exception {
    return Files.write(folder.resolve(name), content.toArray());
  }

  private Path receipt(ReferenceLedger log, int jsn) throws Exception {
    return receipt(log, jsn, log.size());
  }

  private Path receipt(ReferenceLedger log, int jsn, int size) throws Exception {
    return write(jsn + "-" + size + ".receipt", log.receiptFile(jsn, size).encode());
  }

  private Path genesis(ReferenceLedger log) throws Exception {
    return write("genesis", log.params());
  }

  private Path copy(ReferenceLedger log) throws Exception {
    return write(log.size() + ".tlog", SavedLog.of(log, 0));
  }

  private Path authorities() throws Exception {
    String pem =
        String.format(
            Locale.ROOT,
            "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n",
            Base64.getMimeEncoder().encodeToString(AUTHORITY.root().getEncoded()));
    return Files.writeString(folder.resolve("ca.pem"), pem);
  }

  /// Writes the evidence, then has it checked with nothing but genesis and the authorities.
  private JsonNode convicts(ReferenceLedger log, Object... words) throws Exception {
    Path file = folder.resolve("evidence-" + evidences++);
    List<Object> call = new ArrayList<>(List.of("evidence"));
    call.addAll(List.of(words));
    call.addAll(List.of("--out", file, "--tsa-ca", authorities(), "--json"));
    JsonNode written = Cli.run(call.toArray()).json();
    JsonNode checked =
        Cli.run(
                "evidence",
                "check",
                id(),
                file,
                "--genesis",
                genesis(log),
                "--tsa-ca",
                authorities(),
                "--json")
            .json();
    assertThat(checked.get("claim")).isEqualTo(written.get("claim"));
    assertThat(checked.get("heads").size()).isPositive();
    return checked;
  }

  private String refuses(Object... words) throws Exception {
    Path file = folder.resolve("none");
    List<Object> call = new ArrayList<>(List.of("evidence"));
    call.addAll(List.of(words));
    call.addAll(List.of("--out", file, "--tsa-ca", authorities()));
    Cli.Result result = Cli.run(call.toArray()).hasStatus(ExitCode.EVIDENCE);
    assertThat(file).doesNotExist();
    return result.err();
  }

  private Submission time(ReferenceLedger log, int size, long genTimeMs) throws Exception {
    Checkpoint head =
        new Checkpoint(ledger.params().origin(0), new TreeSize(size), log.rootAt(size));
    Rfc3161Tokens tokens = new Rfc3161Tokens();
    TimeQuery query = new TimeQuery(head.imprint(), BigInteger.ONE, null);
    Bytes token =
        tokens.tokenOf(
            AUTHORITY.answer(
                tokens.query(query), Instant.ofEpochMilli(genTimeMs), recipe -> recipe));
    return ledger.service(
        Kind.TIME,
        new Extension.Time(head.size(), head.root(), Optional.empty(), new TimeProof.Token(token)),
        List.of(Fixtures.RECEIPT));
  }

  @Test
  void twoHeadsOfOneSize() throws Exception {
    ReferenceLedger one = ReferenceLedger.found(ledger).block(ledger.single(1));
    ReferenceLedger other = ReferenceLedger.found(ledger).block(ledger.single(2));
    Path first = write("one", one.receiptFile(2, 4).encode());
    Path second = write("other", other.receiptFile(3, 4).encode());
    assertThat(convicts(one, "fork", id(), first, second, "--genesis", genesis(one)).get("claim"))
        .hasToString("\"fork\"");
    assertThat(refuses("fork", id(), first, first, "--genesis", genesis(one)))
        .contains("the heads of sizes 4 and 4 agree");
  }

  @Test
  void aHeadThatDoesNotContinueAnEarlierOne() throws Exception {
    ReferenceLedger one =
        ReferenceLedger.found(ledger).block(ledger.single(1)).block(ledger.single(2));
    ReferenceLedger other =
        ReferenceLedger.found(ledger)
            .block(ledger.single(3))
            .block(ledger.single(2))
            .block(ledger.single(1));
    Path earlier = write("earlier", one.receiptFile(2, 6).encode());
    Path later = write("later", other.receiptFile(2, 8).encode());
    convicts(one, "fork", id(), earlier, later, "--log", copy(other));
    assertThat(refuses("fork", id(), earlier, later, "--genesis", genesis(one)))
        .contains("a copy of the log is needed");
    Path same = write("same", other.receiptFile(2, 6).encode());
    assertThat(refuses("fork", id(), same, later, "--log", copy(other))).contains("agree");
  }

  @Test
  void journalsDatedOutsideATokensBounds() throws Exception {
    long now = ledger.timeMs();
    ReferenceLedger own = ReferenceLedger.found(ledger);
    own.block(time(own, 2, now - 60_000));
    JsonNode alone =
        convicts(own, "misdated", id(), "--time", receipt(own, 2), "--genesis", genesis(own));
    assertThat(alone.get("claim")).hasToString("\"misdated\"");

    ReferenceLedger back = ReferenceLedger.found(ledger);
    back.block(time(back, 2, now)).block(ledger.single(1), now - 60_000, false);
    convicts(
        back,
        "misdated",
        id(),
        "--time",
        receipt(back, 2),
        "--journal",
        receipt(back, 4),
        "--genesis",
        genesis(back));

    ReferenceLedger post =
        ReferenceLedger.found(ledger).block(ledger.single(1), now + 60_000, false);
    post.block(time(post, 4, now), now + 60_000, false);
    convicts(
        post,
        "misdated",
        id(),
        "--time",
        receipt(post, 4),
        "--journal",
        receipt(post, 2),
        "--log",
        copy(post));
    assertThat(
            refuses(
                "misdated",
                id(),
                "--time",
                receipt(post, 4),
                "--journal",
                receipt(post, 2),
                "--genesis",
                genesis(post)))
        .contains("a copy of the log is needed");
  }

  @Test
  void whatIsInOrderConvictsNobody() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(ledger).block(ledger.single(1));
    log.block(time(log, 4, ledger.timeMs()));
    Path genesis = genesis(log);
    assertThat(refuses("misdated", id(), "--time", receipt(log, 4), "--genesis", genesis))
        .contains("the token says");
    assertThat(refuses("misdated", id(), "--time", receipt(log, 2), "--genesis", genesis))
        .contains("is no time journal");
    assertThat(refuses("attestation", id(), receipt(log, 2), "--log", copy(log)))
        .contains("the attestation of journal 2 verifies");
    assertThat(refuses("attestation", id(), receipt(log, 3), "--genesis", genesis))
        .contains("is no journal");
    assertThat(refuses("seal", id(), receipt(log, 3, 4), "--genesis", genesis))
        .contains("states the root before it");
    Path bent = write("bent", log.receiptFile(2, 6, Fixtures.BOB).encode());
    assertThat(refuses("seal", id(), bent, "--genesis", genesis)).contains("EVIDENCE");
  }

  @Test
  void aTokenIsBelievedOnlyFromWhoIsNamed() throws Exception {
    ReferenceLedger own = ReferenceLedger.found(ledger);
    own.block(time(own, 2, ledger.timeMs() - 60_000));
    Cli.Result none =
        Cli.run(
                "evidence",
                "misdated",
                id(),
                "--time",
                receipt(own, 2),
                "--genesis",
                genesis(own),
                "--out",
                folder.resolve("none"))
            .hasStatus(ExitCode.EVIDENCE);
    assertThat(none.err()).contains("a token is not judged without --tsa-ca");
  }

  @Test
  void aSignatureThatNobodyMade() throws Exception {
    Submission good = ledger.single(1);
    byte[] bytes = good.attestation().toArray();
    bytes[bytes.length - 1] ^= 1;
    ReferenceLedger log =
        ReferenceLedger.found(ledger).block(new Submission(good.requests(), Bytes.wrap(bytes)));
    convicts(log, "attestation", id(), receipt(log, 2), "--log", copy(log));
  }

  @Test
  void aSealOfAnotherRoot() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(ledger).falseBlock(ledger.single(1), Digest.ZERO);
    convicts(log, "seal", id(), receipt(log, 3), "--genesis", genesis(log));
  }

  @Test
  void badFilesAreNamed() throws Exception {
    ReferenceLedger log = ReferenceLedger.found(ledger);
    Path junk = write("junk", Bytes.utf8("{}"));
    Path genesis = genesis(log);
    Cli.run("evidence", "check", id(), junk, "--genesis", genesis).hasStatus(ExitCode.FILE);
    Cli.run("evidence", "check", id(), folder.resolve("none"), "--genesis", genesis)
        .hasStatus(ExitCode.FILE);
    Cli.run("evidence", "check", "no-id", junk, "--genesis", genesis).hasStatus(ExitCode.USAGE);
    Cli.run("evidence", "seal", id(), junk, "--genesis", genesis, "--out", junk)
        .hasStatus(ExitCode.FILE);
    Cli.run("evidence", "fork", id(), junk, junk, "--out", folder.resolve("x"))
        .hasStatus(ExitCode.USAGE);
    String other = "0".repeat(64);
    Path seal = receipt(log, 1);
    Cli.run("evidence", "seal", other, seal, "--genesis", genesis, "--out", folder.resolve("x"))
        .hasStatus(ExitCode.EVIDENCE);
  }
}
