package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static io.tallystick.proxy.rest.RestService.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a client of JSON and a signature library grants and closes. Method: a ledger from its
/// first grant to its end over HTTP.
class PeopleJourneyTest {
  @TempDir private static Path data;

  private static RestService rest;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  @Test
  void featuresThatContradictAreRefusedBeforeAnythingIsSigned() throws Exception {
    String one = base64(RestService.key(SignatureAlgorithm.ED25519).publicKey());
    String two = base64(RestService.key(SignatureAlgorithm.ED25519).publicKey());
    for (String wish :
        List.of(
            "{'owners':['ONE','TWO'],'features':[3]}",
            "{'owners':['ONE'],'features':[3,4]}",
            "{'owners':['ONE'],'features':[1],'stateParams':{'leafEntriesMax':8}}")) {
      String body = "{'name':'n'," + wish.substring(1);
      Answer answer =
          rest.post(
              "/v1/ledgers:prepare",
              MAPPER.readTree(body.replace('\'', '"').replace("ONE", one).replace("TWO", two)));
      assertThat(answer.status()).as(answer.text()).isEqualTo(422);
      assertThat(answer.json().get("code").stringValue()).isEqualTo("feature_conflict");
    }
    ObjectNode mono = MAPPER.createObjectNode().put("name", "mono");
    mono.putArray("owners").add(one);
    mono.putArray("features").add(1).add(3).add(5);
    assertThat(rest.post("/v1/ledgers:prepare", mono).status()).isEqualTo(200);
  }

  @Test
  void aKeyIsGrantedReplacedAndMarkedAndAllOwnersCloseTheLedger() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    Signer agent = RestService.key(SignatureAlgorithm.ES256);
    Signer partner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("people", owner);
    accepted(ledger, grant("normal", agent).put("notAfterMs", 1).put("delegated", true), owner);
    Answer expired = rest.post(ledger + "/journals", rest.prepared(ledger, "late", agent));
    assertThat(expired.status()).isEqualTo(403);
    assertThat(expired.json().get("code").stringValue()).isEqualTo("revoked_key");
    accepted(ledger, grant("normal", agent).put("delegated", true), owner);
    Answer appended = rest.post(ledger + "/journals", rest.prepared(ledger, "its", agent));
    assertThat(appended.status()).as(appended.text()).isEqualTo(201);
    Bytes leaf = Bytes.wrap(bytes(appended.json().get("leaf")));
    assertThat(((JournalLeaf) Leaf.decode(leaf)).delegated()).isTrue();
    long jsn = appended.json().get("jsn").longValue();
    JsonNode read = rest.get(ledger + "/journals/" + jsn).json();
    assertThat(read.get("content").get("delegated").booleanValue()).isTrue();

    String replaced = agent.publicKey().kid().hex();
    accepted(ledger, grant("owner", partner).put("replaces", replaced), owner);
    JsonNode member = member(ledger, replaced);
    assertThat(member.get("replacedBy").stringValue()).isEqualTo(partner.publicKey().kid().hex());
    assertThat(member.get("delegated").booleanValue()).isTrue();
    assertThat(member.has("notAfterMs")).isFalse();

    ObjectNode close = MAPPER.createObjectNode().put("kind", "close");
    Answer missing =
        rest.post(ledger + "/journals", rest.signed(ledger + "/journals:prepare", close, owner));
    assertThat(missing.status()).isEqualTo(403);
    assertThat(missing.json().get("code").stringValue()).isEqualTo("signatures_missing");
    assertThat(missing.json().get("detail").stringValue())
        .contains("OWNER " + partner.publicKey().kid().hex());
    Answer closed =
        rest.post(
            ledger + "/journals", rest.signed(ledger + "/journals:prepare", close, owner, partner));
    assertThat(closed.status()).as(closed.text()).isEqualTo(201);
    Answer after = rest.post(ledger + "/journals", rest.prepared(ledger, "after", owner));
    assertThat(after.status()).isEqualTo(409);
    assertThat(after.json().get("code").stringValue()).isEqualTo("ledger_closed");
    assertThat(after.json().get("jsn").longValue()).isEqualTo(closed.json().get("jsn").longValue());
  }

  private static ObjectNode grant(String role, Signer to) {
    return MAPPER
        .createObjectNode()
        .put("action", "grant")
        .put("role", role)
        .put("spki", base64(to.publicKey()));
  }

  private static void accepted(String ledger, ObjectNode change, Signer owner) throws Exception {
    Answer answer =
        rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", change, owner));
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
  }

  private static JsonNode member(String ledger, String kid) throws Exception {
    return rest.get(ledger + "/members")
        .json()
        .get("members")
        .valueStream()
        .filter(row -> row.get("kid").stringValue().equals(kid))
        .findFirst()
        .orElseThrow();
  }
}
