package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.Proposal;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.node.KeptProposal;
import io.tallystick.node.KeptProposal.Outcome;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.server.host.LocalNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: several members sign one request through the service, which submits it once, with the last
/// signature. Method: real services over HTTP, one of them restarted in the middle; signers have
/// JSON and a signature library.
class ProposalJourneyTest {
  @TempDir private Path data;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer bo = RestService.key(SignatureAlgorithm.ES256);
  private final Signer cleo = RestService.key(SignatureAlgorithm.ED25519);

  private static String kid(Signer signer) {
    return signer.publicKey().kid().hex();
  }

  /// A proposal as it is put.
  private static ObjectNode proposal(
      RestService rest, String path, ObjectNode wish, Signer... signers) throws Exception {
    ObjectNode proposal = rest.signed(path, wish, signers);
    proposal.remove("body");
    return proposal;
  }

  private static ObjectNode close(RestService rest, String ledger, Signer... signers)
      throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "close").put("expiresInMs", 600_000);
    return proposal(rest, ledger + "/journals:prepare", wish, signers);
  }

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static void refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
  }

  @Test
  void twoOwnersCloseALedgerAndTheServiceRestartsInBetween() throws Exception {
    String ledger;
    String path;
    try (RestService rest = new RestService(data)) {
      ledger = rest.found("closing", ada, bo);
      ObjectNode asked = close(rest, ledger, ada);
      JsonNode kept = ok(rest.post(ledger + "/proposals", asked));
      assertThat(kept.get("status").stringValue()).isEqualTo("open");
      assertThat(kept.get("policy").stringValue()).isEqualTo("everyOwner");
      assertThat(kept.get("signers")).hasSize(1);
      assertThat(kept.get("missing").get(0).get("kid").stringValue()).isEqualTo(kid(bo));
      assertThat(kept.get("missing").get(0).get("role").stringValue()).isEqualTo("owner");
      assertThat(ok(rest.post(ledger + "/proposals", asked))).isEqualTo(kept);
      path = ledger + "/proposals/" + kept.get("requestHash").stringValue();
    }
    try (RestService rest = new RestService(data)) {
      JsonNode kept = ok(rest.get(path));
      JsonNode signature = RestService.sign(kept.get("toSign"), bo).get(0);
      JsonNode done = ok(rest.post(path + "/signatures", signature));
      assertThat(done.get("status").stringValue()).isEqualTo("committed");
      assertThat(done.get("missing")).isEmpty();
      assertThat(rest.get(done.get("location").stringValue()).status()).isEqualTo(200);
      assertThat(ok(rest.post(path + "/signatures", signature))).isEqualTo(done);
      refused(
          rest.post(ledger + "/journals", rest.prepared(ledger, "late", ada)),
          409,
          "ledger_closed");
      JsonNode listed = ok(rest.get(ledger + "/proposals"));
      assertThat(listed.get("proposals").get(0).get("jsn")).isEqualTo(done.get("jsn"));
      assertThat(listed.get("proposals").get(0).has("proposal")).isFalse();
    }
    try (RestService rest = new RestService(data)) {
      assertThat(ok(rest.get(path)).get("status").stringValue()).isEqualTo("committed");
    }
  }

  /// A service that stopped between the commit of its decision to submit and the outcome.
  @Test
  void whatWasBeingSubmittedWhenTheServiceStoppedIsSubmitted() throws Exception {
    String ledger;
    ObjectNode asked;
    try (RestService rest = new RestService(data)) {
      ledger = rest.found("stopped", ada);
      asked = close(rest, ledger, ada);
    }
    Proposal proposal = whole(asked, ada);
    try (LocalNode node =
        LocalNode.open(
            data,
            new Authority("localhost"),
            SignatureProviders.best(),
            new SimpleMeterRegistry())) {
      assertThat(
              node.node()
                  .openProposals()
                  .orElseThrow()
                  .replace(null, new KeptProposal(proposal, Outcome.Submitting.INSTANCE)))
          .isTrue();
    }
    try (RestService rest = new RestService(data)) {
      String path = ledger + "/proposals/" + proposal.requestHash().hex();
      String status = "submitting";
      while (status.equals("submitting")) {
        status = ok(rest.get(path)).get("status").stringValue();
      }
      assertThat(status).isEqualTo("committed");
      assertThat(rest.get(ledger).json().get("size").longValue()).isEqualTo(4);
    }
  }

  private static Proposal whole(ObjectNode asked, Signer signer) {
    return new Proposal(
            Bytes.wrap(RestService.bytes(asked.get("header"))),
            Bytes.wrap(RestService.bytes(asked.get("salt"))),
            List.of())
        .signedBy(signer);
  }

  @Test
  void twoLastSignaturesAtOnceSubmitOnce() throws Exception {
    try (RestService rest = new RestService(data);
        ExecutorService signers = Executors.newFixedThreadPool(2)) {
      String ledger = rest.found("race", ada, bo, cleo);
      for (int round = 0; round < 10; round++) {
        ObjectNode wish =
            MAPPER
                .createObjectNode()
                .put("action", "grant")
                .put("role", "normal")
                .put("spki", base64(RestService.key(SignatureAlgorithm.ED25519).publicKey()));
        long size = rest.get(ledger).json().get("size").longValue();
        ObjectNode request = rest.signed(ledger + "/members:prepare", wish, bo, cleo);
        List<Future<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          ObjectNode one = MAPPER.createObjectNode();
          one.set("header", request.get("header"));
          one.set("salt", request.get("salt"));
          one.putArray("signatures").add(request.get("signatures").get(i));
          answers.add(signers.submit(() -> rest.post(ledger + "/proposals", one)));
        }
        for (Future<Answer> answer : answers) {
          assertThat(ok(answer.get()).get("signers")).as("one sufficed").hasSize(1);
        }
        assertThat(rest.get(ledger).json().get("size").longValue())
            .as("the grant and its seal")
            .isEqualTo(size + 2);
      }
    }
  }

  @Test
  void whatTheLedgerRefusesIsShownAndLeavesNoTrace() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("last", ada);
      ObjectNode wish = MAPPER.createObjectNode().put("action", "revoke").put("kid", kid(ada));
      JsonNode kept =
          ok(
              rest.post(
                  ledger + "/proposals", proposal(rest, ledger + "/members:prepare", wish, ada)));
      assertThat(kept.get("status").stringValue()).isEqualTo("refused");
      assertThat(kept.get("refusal").get("code").stringValue()).isEqualTo("last_owner");
      assertThat(rest.get(ledger).json().get("size").longValue()).isEqualTo(2);
    }
  }

  @Test
  void refusesWhatIsNotSignedByAMemberOrIsNotForThisLedger() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("strict", ada, bo);
      String other = rest.found("other", ada, bo);
      ObjectNode asked = close(rest, ledger, ada);
      refused(rest.post(other + "/proposals", asked), 422, "wrong_ledger");
      ObjectNode bent = asked.deepCopy().put("salt", base64(new byte[32]));
      refused(rest.post(ledger + "/proposals", bent), 400, "malformed");
      ObjectNode stranger = asked.deepCopy();
      ((ObjectNode) stranger.get("signatures").get(0)).put("kid", kid(cleo));
      refused(rest.post(ledger + "/proposals", stranger), 403, "unknown_key");
      ObjectNode forged = asked.deepCopy();
      ((ObjectNode) forged.get("signatures").get(0)).put("kid", kid(bo));
      refused(rest.post(ledger + "/proposals", forged), 401, "bad_signature");
      assertThat(ok(rest.get(ledger + "/proposals")).get("proposals")).isEmpty();
      refused(rest.get(ledger + "/proposals/" + "ab".repeat(32)), 404, "unknown_proposal");
    }
  }

  @Test
  void proposalsOfAPublicLedgerAreForItsMembers() throws Exception {
    try (RestService rest = new RestService(ServiceProperties.of(data, 0))) {
      String ledger = rest.found("public", true, ada, bo);
      JsonNode kept = ok(rest.post(ledger + "/proposals", close(rest, ledger, ada)));
      String path = ledger + "/proposals/" + kept.get("requestHash").stringValue();
      assertThat(rest.get(ledger).status()).isEqualTo(200);
      refused(rest.get(path), 401, "token_required");
      refused(rest.get(ledger + "/proposals"), 401, "token_required");
      refused(rest.send(rest.request(path).DELETE().build()), 401, "token_required");

      String token = "Bearer " + AccessTest.token(bo, ledger.replaceFirst(".*/", ""));
      assertThat(ok(rest.get(path, "Authorization", token))).isEqualTo(kept);
      assertThat(rest.send(rest.request(path, "Authorization", token).DELETE().build()).status())
          .isEqualTo(200);
      refused(rest.get(path, "Authorization", token), 404, "unknown_proposal");
    }
  }
}
