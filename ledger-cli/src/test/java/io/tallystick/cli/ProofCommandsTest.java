package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.ProofVerifier;
import io.tallystick.client.ProvenAppend;
import io.tallystick.client.TallyClient;
import io.tallystick.evidence.JournalProof;
import io.tallystick.model.Bytes;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: a document and its proof file alone show who signed it where, also after the service's
/// keys were rotated and the body was erased; another document ends with status 4. Method: the
/// command line and the SDK against a real service, and for what is offline no service at all.
class ProofCommandsTest {
  private static final String TEXT = "contract 7";

  @TempDir private static Path home;
  private static OwnedLedger owned;
  private static Cli offline;
  private static Path rex;

  @BeforeAll
  static void found() throws Exception {
    owned = OwnedLedger.found(home, "proofs");
    offline = new Cli("127.0.0.1:1", home.resolve("nobody").toString());
    rex = home.resolve("rex.pem");
    String spki = Cli.run("keygen", rex, "--json").json().get("spki").stringValue();
    owned
        .cli()
        .call("member", "add", owned.id(), spki, "--role", "regulator", "--key", owned.key())
        .hasStatus(0);
  }

  @AfterAll
  static void stop() {
    owned.close();
  }

  private static Path file(String name, String content) throws Exception {
    return Files.writeString(home.resolve(name), content);
  }

  private static JsonNode appended(Object... more) {
    return owned.cli().call(with(more, "append", owned.id())).json().get("journals");
  }

  private static Object[] with(Object[] more, Object... first) {
    List<Object> words = new ArrayList<>(List.of(first));
    words.addAll(List.of(more));
    words.addAll(List.of("--key", owned.key(), "--json"));
    return words.toArray();
  }

  private static Cli.Result verify(Path proof, Path document) {
    return offline.call("verify", owned.id(), "--proof", proof, "--payload", document, "--json");
  }

  @Test
  void aDocumentIsProvenWithItsFileAlone() throws Exception {
    Path document = file("contract", TEXT);
    Path proof = home.resolve("contract.proof");
    long jsn =
        appended(document, "--content-type", "text/plain", "--clue", "deal", "--proof", proof)
            .get(0)
            .get("jsn")
            .longValue();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(proof)))
        .isEqualTo("rw-------");
    JsonNode shown = verify(proof, document).json();
    assertThat(shown.get("jsn").longValue()).isEqualTo(jsn);
    assertThat(shown.get("contentType").stringValue()).isEqualTo("text/plain");
    assertThat(shown.get("clues").get(0).stringValue()).isEqualTo("deal");
    assertThat(shown.get("payloadBytes").intValue()).isEqualTo(TEXT.length());
    assertThat(shown.get("signers").get(0).stringValue())
        .isEqualTo(ClientKey.load(owned.key()).kid().hex());
    assertThat(shown.get("headTrusted").booleanValue()).isFalse();
    assertThat(home.resolve("nobody")).doesNotExist();
    assertThat(
            owned
                .cli()
                .call("verify", owned.id(), "--proof", proof, "--payload", document)
                .hasStatus(0)
                .out())
        .contains("journal " + jsn, "signed by ", "An audit shows that the signers were members.");

    Path other = file("other", TEXT.replace('7', '8'));
    assertThat(verify(proof, other).hasStatus(ExitCode.EVIDENCE).err())
        .contains("COMMITMENT_MISMATCH: the header says bodyCommit ");
    assertThat(verify(proof, file("longer", TEXT + "\n")).hasStatus(ExitCode.EVIDENCE).err())
        .contains("more than 10 bytes");
    byte[] bent = Files.readAllBytes(proof);
    bent[bent.length - 20] ^= 1;
    verify(Files.write(home.resolve("bent.proof"), bent), document).hasStatus(ExitCode.EVIDENCE);
    Cli.Result elsewhere =
        offline.call("verify", "00".repeat(32), "--proof", proof, "--payload", document);
    assertThat(elsewhere.hasStatus(ExitCode.EVIDENCE).err()).contains("WRONG_LEDGER");
  }

  @Test
  void eachOfABatchHasAFile() throws Exception {
    Path folder = home.resolve("batch");
    JsonNode journals =
        appended("--text", "one", "--text", "two", "--text", "three", "--proofs", folder);
    int number = 0;
    for (String text : List.of("one", "two", "three")) {
      Path proof = folder.resolve(journals.get(number++).get("jsn") + ".proof");
      assertThat(verify(proof, file(text, text)).json().get("jsn").longValue())
          .isEqualTo(journals.get(number - 1).get("jsn").longValue());
      verify(proof, file("none", "")).hasStatus(ExitCode.EVIDENCE);
    }
  }

  @Test
  void aProofIsMadeOfWhatIsRead() throws Exception {
    long jsn = appended("--text", TEXT, "--text", "beside").get(0).get("jsn").longValue();
    Path proof = home.resolve("read.proof");
    owned.cli().call("get", owned.id(), jsn, "--proof", proof).hasStatus(0);
    assertThat(verify(proof, file("text", TEXT)).json().get("jsn").longValue()).isEqualTo(jsn);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(proof)))
        .isEqualTo("rw-------");
    // A journal that governs has an empty document.
    owned.cli().call("get", owned.id(), 2, "--proof", proof).hasStatus(0);
    assertThat(verify(proof, file("empty", "")).json().get("kind").stringValue())
        .isEqualTo("member add");
    owned.cli().call("get", owned.id(), 1, "--proof", proof).hasStatus(ExitCode.USAGE);
  }

  @Test
  void itBringsTheKeysThatTheServiceRotatedTo() throws Exception {
    Cli cli = owned.cli();
    String other =
        cli.call("ledger", "create", "rotated", "--key", owned.key(), "--json")
            .json()
            .get("ledgerId")
            .stringValue();
    JsonNode keys = Cli.run("keys", "new", "--data", home.resolve("data"), "--json").json();
    String spki = keys.get("receiptSpki").stringValue();
    cli.call("keys", "rotate", other, "--receipt-key", spki, "--key", owned.key()).hasStatus(0);
    Path proof = home.resolve("rotated.proof");
    Path document = file("rotated", TEXT);
    cli.call("append", other, document, "--key", owned.key(), "--proof", proof).hasStatus(0);
    JsonNode shown =
        offline.call("verify", other, "--proof", proof, "--payload", document, "--json").json();
    assertThat(shown.get("rotations").intValue()).isEqualTo(1);
    cli.call("get", other, 2, "--proof", proof).hasStatus(0); // the rotation itself
    assertThat(
            offline
                .call("verify", other, "--proof", proof, "--payload", file("none", ""), "--json")
                .json()
                .get("signers"))
        .hasSize(3);
  }

  @Test
  void itStaysValidWhenTheBodyIsErasedAndNoneIsMadeThen() throws Exception {
    Path kept = home.resolve("kept.proof");
    long jsn = appended("--text", TEXT, "--proof", kept).get(0).get("jsn").longValue();
    Path erase = home.resolve("erase.proposal");
    owned.cli().call("propose", "occult", owned.id(), "--jsn", jsn, "--out", erase).hasStatus(0);
    Cli.run("sign", erase, "--key", owned.key()).hasStatus(0);
    Cli.run("sign", erase, "--key", rex).hasStatus(0);
    long occult = owned.cli().call("submit", erase, "--json").json().get("jsn").longValue();
    verify(kept, file("erased", TEXT)).hasStatus(0);
    Path none = home.resolve("none.proof");
    assertThat(
            owned
                .cli()
                .call("get", owned.id(), jsn, "--proof", none)
                .hasStatus(ExitCode.REFUSED)
                .err())
        .contains("refused (erased)", "tally certificate " + owned.id() + " " + occult);
    assertThat(none).doesNotExist();
  }

  @Test
  void wrongWordsAreRefusedBeforeAnythingIsAppended() throws Exception {
    long before = size();
    Path there = file("there", "");
    Object[][] wrong = {
      {"append", owned.id(), "--text", "a", "--text", "b", "--proof", home.resolve("x")},
      {"append", owned.id(), "--text", "a", "--proof", there},
      {"append", owned.id(), "--text", "a", "--proofs", there},
    };
    List<Integer> statuses = List.of(ExitCode.USAGE, ExitCode.FILE, ExitCode.FILE);
    for (int i = 0; i < wrong.length; i++) {
      owned.cli().call(with(new Object[0], wrong[i])).hasStatus(statuses.get(i));
    }
    assertThat(size()).isEqualTo(before);
    offline.call("verify", owned.id(), "--proof", there).hasStatus(ExitCode.USAGE);
    offline.call("verify", owned.id(), "--payload", there).hasStatus(ExitCode.USAGE);
    verify(there, there).hasStatus(ExitCode.FILE);
    offline
        .call("verify", owned.id(), "--proof", there, "--payload", there, "--receipt", there)
        .hasStatus(ExitCode.USAGE);
  }

  private static long size() {
    return owned.cli().call("verify", owned.id(), "--json").json().get("size").longValue();
  }

  @Test
  void aProgramMakesAndVerifiesThem() throws Exception {
    LedgerId id = LedgerId.fromHex(owned.id());
    ClientConfig config = ClientConfig.of(owned.service().target(), home.resolve("sdk"));
    Bytes document = Bytes.utf8(TEXT);
    try (TallyClient client = TallyClient.connect(config)) {
      LedgerHandle ledger = client.open(id, ClientKey.load(owned.key()), ClientKey.load(rex));
      ProvenAppend proven = ledger.proofs().append(JournalDraft.text(TEXT));
      Jsn jsn = proven.receipt().jsn();
      JournalProof again = ledger.proofs().of(jsn);
      assertThat(again.opening()).isEqualTo(proven.proof().opening());
      assertThat(again.attestation()).isEqualTo(proven.proof().attestation());
      assertThat(again.keys()).isEqualTo(proven.proof().keys()).hasSize(2);
      assertThat(ledger.proofs().verify(again, document).jsn()).isEqualTo(jsn);
      assertThat(ProofVerifier.of(id).verify(again.encode(), document).jsn()).isEqualTo(jsn);
      List<ProvenAppend> three =
          ledger
              .proofs()
              .append(
                  List.of(JournalDraft.text("1"), JournalDraft.text("2"), JournalDraft.text("3")));
      assertThat(ledger.proofs().of(three.get(2).receipt().jsn()).batchProof())
          .isEqualTo(three.get(2).proof().batchProof());
    }
  }
}
