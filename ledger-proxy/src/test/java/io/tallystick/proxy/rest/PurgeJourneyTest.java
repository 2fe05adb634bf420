package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.Json.base64;
import static io.tallystick.proxy.rest.RestService.MAPPER;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.SealLeaf;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.removal.PseudoGenesis;
import io.tallystick.removal.RemovalCertificate;
import io.tallystick.removal.Snapshot;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.forest.SnapshotStateFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: who has JSON and a signature library purges a prefix with the members whom it concerns,
/// and a reader finds what the log begins with now. Method: a real service over HTTP; what it
/// answers is verified by our own library from genesis alone.
class PurgeJourneyTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

  @TempDir private Path data;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer bo = RestService.key(SignatureAlgorithm.ES256);

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static void refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
  }

  /// A ledger of Ada's with Bo as a normal member and some journals of both; those of Bo write the
  /// state.
  private String filled(RestService rest) throws Exception {
    String ledger = rest.foundWithState("forgetful", true, ada);
    ObjectNode wish =
        MAPPER
            .createObjectNode()
            .put("action", "add")
            .put("role", "normal")
            .put("spki", RestService.base64(bo.publicKey()));
    ObjectNode request = rest.signed(ledger + "/members:prepare", wish, ada);
    assertThat(rest.post(ledger + "/members", request).status()).isEqualTo(201);
    for (int i = 0; i < 150; i++) {
      if (i % 2 == 0) {
        var _ = rest.append(ledger, "payload " + i, List.of("c"), ada);
      } else {
        var _ = rest.append(ledger, write("key " + i % 40, "value " + i), bo);
      }
    }
    return ledger;
  }

  private static ObjectNode write(String key, String value) {
    ObjectNode wish = MAPPER.createObjectNode().put("payload", "");
    wish.putArray("operations")
        .addObject()
        .put("op", "put")
        .put("keyText", key)
        .put("valueText", value);
    return wish;
  }

  private static ObjectNode prepared(RestService rest, String ledger, long height)
      throws Exception {
    JsonNode made =
        ok(rest.post(ledger + "/purges:prepare", MAPPER.createObjectNode().put("height", height)));
    assertThat(made.get("affected")).hasSize(2);
    Snapshot snapshot = Snapshot.decode(Bytes.wrap(RestService.bytes(made.get("snapshot"))));
    assertThat(snapshot.digest().hex()).isEqualTo(made.get("digest").stringValue());
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "purge");
    for (String name : List.of("firstKept", "height", "digest")) {
      wish.set(name, made.get(name));
    }
    return wish;
  }

  @Test
  void thoseWhomItConcernsPurgeAPrefix() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = filled(rest);
      String files = "/l/" + ledger.substring(ledger.lastIndexOf('/') + 1) + "/0/";
      JsonNode receipt = ok(rest.get(ledger + "/journals/7/receipt")).get("receipt");
      refused(rest.get(ledger + "/pseudo-genesis"), 404, "out_of_range");
      refused(rest.get(files + "pseudo-genesis"), 404, "out_of_range");
      refused(rest.get(files + "snapshot/state"), 404, "out_of_range");
      ObjectNode wish = prepared(rest, ledger, 140);
      String journals = ledger + "/journals";
      refused(
          rest.post(journals, rest.signed(journals + ":prepare", wish.deepCopy(), ada)),
          403,
          "signatures_missing");
      ObjectNode kept = rest.signed(journals + ":prepare", wish.deepCopy(), ada);
      kept.remove("body");
      Answer notKept = rest.post(ledger + "/proposals", kept);
      refused(notKept, 422, "kind_not_enabled");
      assertThat(notKept.json().get("detail").stringValue()).contains("hand its file");
      Answer done =
          rest.post(journals, rest.signed(journals + ":prepare", wish.deepCopy(), ada, bo));
      assertThat(done.status()).as(done.text()).isEqualTo(201);
      for (String path : List.of("/260", "/261", "?from=0", "?from=260")) { // all in what stays
        refused(rest.get(journals + path), 410, "purged");
      }
      JsonNode governs = ok(rest.get(journals + "/2")); // Bo's becoming a member
      assertThat(governs.get("bodyState").stringValue()).isEqualTo("erased");
      assertThat(governs.has("attestation")).isTrue();
      assertThat(ok(rest.get(journals + "/0")).get("type").stringValue()).isEqualTo("genesis");
      long purge = done.json().get("jsn").longValue();

      Answer gone = rest.get(journals + "/7");
      refused(gone, 410, "purged");
      assertThat(gone.json().get("jsn").longValue()).isEqualTo(purge);
      JsonNode shown = ok(rest.get(journals + "/7/erasure"));
      assertThat(gone.json().get("receipt")).isEqualTo(shown.get("receipt")).isNotNull();
      assertThat(gone.json().get("attestation")).isEqualTo(shown.get("attestation")).isNotNull();
      refused(rest.get(files + "tile/entries/000"), 410, "purged");
      assertThat(rest.get(files + "tile/entries/001.p/1").status()).isEqualTo(200);
      assertThat(ok(rest.get(journals + "/7/erasure")).get("jsn").longValue()).isEqualTo(purge);
      refused(rest.get(journals + "/7/receipt"), 410, "purged"); // the leaf in it is gone
      Answer alone = rest.get(journals + "/7/receipt", "Accept", "application/cose");
      assertThat(base64(Bytes.wrap(alone.response().body()))).isEqualTo(receipt.stringValue());
      verify(rest, ledger, files, purge);
      var _ = rest.append(ledger, "and on", List.of("c"), ada);
    }
  }

  private static void verify(RestService rest, String ledger, String files, long purge)
      throws Exception {
    StrandId strand =
        new StrandId(LedgerId.fromHex(ledger.substring(ledger.lastIndexOf('/') + 1)), 0);
    byte[] file = rest.get(files + "pseudo-genesis").response().body();
    assertThat(rest.get(ledger + "/pseudo-genesis").response().body()).isEqualTo(file);
    PseudoGenesis.Verified found =
        PseudoGenesis.decode(Bytes.wrap(file)).verify(strand, new KeyChain(List.of()), SIGNATURES);
    assertThat(found.purge().jsn().value()).isEqualTo(purge);
    Bytes window = Bytes.wrap(rest.get(files + "snapshot/window").response().body());
    assertThat(window.size())
        .isEqualTo(found.snapshot().windowCount() * Snapshot.WINDOW_ENTRY_BYTES);
    byte[] state = rest.get(files + "snapshot/state").response().body();
    assertThat(SnapshotStateFile.read(state).root())
        .isEqualTo(((SealLeaf) Leaf.decode(found.snapshot().seal())).stateRoot());

    String path = ledger + "/journals/" + purge + "/certificate";
    Waiting.until("it is purged", () -> rest.get(path).status() != 503);
    Answer certificate = rest.get(path);
    assertThat(certificate.status()).as(certificate.text()).isEqualTo(200);
    RemovalCertificate.Verified shown =
        RemovalCertificate.decode(Bytes.wrap(certificate.response().body()))
            .verify(strand, SIGNATURES);
    assertThat(shown.removal().jsn().value()).isEqualTo(purge);
    assertThat(shown.signers()).hasSize(2);
  }
}
