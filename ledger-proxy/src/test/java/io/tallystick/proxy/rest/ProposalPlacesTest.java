package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.node.OpenProposals;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: no member can take the places of a ledger's proposals from the others. Method: a member
/// that fills its places, over HTTP, with a restart, and is then revoked.
class ProposalPlacesTest {
  @TempDir private Path data;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer bo = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer eve = RestService.key(SignatureAlgorithm.ED25519);

  private static Answer close(RestService rest, String ledger, Signer... signers) throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "close").put("expiresInMs", 600_000);
    ObjectNode proposal = rest.signed(ledger + "/journals:prepare", wish, signers);
    proposal.remove("body");
    return rest.post(ledger + "/proposals", proposal);
  }

  private static void change(RestService rest, String ledger, ObjectNode wish, Signer owner)
      throws Exception {
    ObjectNode request = rest.signed(ledger + "/members:prepare", wish, owner);
    Answer answer = rest.post(ledger + "/members", request);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
  }

  private static JsonNode refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
    return answer.json();
  }

  private static Answer withdraw(RestService rest, String path, Signer signer) throws Exception {
    String ledger = path.replaceFirst("/proposals/.*", "").replaceFirst(".*/", "");
    String token = "Bearer " + AccessTest.token(signer, ledger);
    return rest.send(rest.request(path, "Authorization", token).DELETE().build());
  }

  private static JsonNode listed(RestService rest, String ledger) throws Exception {
    return rest.get(ledger + "/proposals?limit=100").json().get("proposals");
  }

  @Test
  void aMemberFillsItsOwnPlacesOnly() throws Exception {
    String ledger;
    String kid = eve.publicKey().kid().hex();
    try (RestService rest = new RestService(data)) {
      ledger = rest.found("places", ada, bo);
      ObjectNode eves = MAPPER.createObjectNode().put("action", "add").put("role", "normal");
      change(rest, ledger, eves.put("spki", base64(eve.publicKey())), ada);
      for (int i = 0; i < OpenProposals.PER_MEMBER_MAX; i++) {
        Answer put = close(rest, ledger, eve);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
      }
      JsonNode refusal = refused(close(rest, ledger, eve), 409, "too_many_proposals");
      assertThat(refusal.get("limit").intValue()).isEqualTo(OpenProposals.PER_MEMBER_MAX);
      assertThat(refusal.get("detail").stringValue()).contains("member " + kid);
    }
    try (RestService rest = new RestService(data)) {
      refused(close(rest, ledger, eve), 409, "too_many_proposals");
      JsonNode kept = close(rest, ledger, ada, eve).json();
      String owners = ledger + "/proposals/" + kept.get("requestHash").stringValue();
      assertThat(
              refused(withdraw(rest, owners, eve), 403, "role_not_allowed")
                  .get("detail")
                  .stringValue())
          .startsWith("owner " + ada.publicKey().kid().hex() + " has signed the proposal");
      for (JsonNode each : listed(rest, ledger)) {
        String path = ledger + "/proposals/" + each.get("requestHash").stringValue();
        if (!path.equals(owners)) {
          assertThat(withdraw(rest, path, eve).status()).isEqualTo(200);
          break;
        }
      }
      assertThat(close(rest, ledger, eve).status()).as("a place is free").isEqualTo(200);
      ObjectNode revoke = MAPPER.createObjectNode().put("action", "revoke").put("kid", kid);
      change(rest, ledger, revoke, ada);
      Waiting.until("only the owner's is left", () -> listed(rest, ledger).size() <= 1);
      JsonNode left = listed(rest, ledger);
      assertThat(left).as("the owner's").hasSize(1);
      assertThat(left.get(0).get("requestHash")).isEqualTo(kept.get("requestHash"));
    }
  }
}
