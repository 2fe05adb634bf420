package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.evidence.Anchor;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.proxy.LimitsProperties;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: members share trusted anchors of the log's own heads through the service, and nothing
/// else. Method: a real service over HTTP that restarts; anchors bent one by one.
class AnchorJourneyTest {
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

  private static Anchor anchor(String ledger, long size, Digest root) {
    LedgerId id = LedgerId.fromHex(ledger.substring(ledger.lastIndexOf('/') + 1));
    return new Anchor(new StrandId(id, 0), new TreeSize(size), new JournalRoot(root));
  }

  /// At the newest head.
  private static Anchor newest(RestService rest, String ledger) throws Exception {
    JsonNode block = ok(rest.get(ledger + "/blocks/latest"));
    return anchor(
        ledger, block.get("size").longValue(), Digest.fromHex(block.get("root").stringValue()));
  }

  private static Answer set(RestService rest, String ledger, Anchor anchor, Signer signer)
      throws Exception {
    return set(rest, ledger, anchor.sign(signer).toArray());
  }

  private static Answer set(RestService rest, String ledger, byte[] anchor) throws Exception {
    return rest.post(ledger + "/anchors", MAPPER.createObjectNode().put("anchor", base64(anchor)));
  }

  @Test
  void anAnchorIsSharedAcrossARestart() throws Exception {
    String ledger;
    JsonNode first;
    JsonNode second;
    try (RestService rest = new RestService(data)) {
      ledger = rest.found("anchored", ada, bo);
      refused(rest.get(ledger + "/anchor"), 404, "out_of_range");
      first = ok(set(rest, ledger, newest(rest, ledger), ada));
      assertThat(first.get("size").longValue()).isEqualTo(2);
      assertThat(first.get("kid").stringValue()).isEqualTo(ada.publicKey().kid().hex());
      rest.append(ledger, "one", List.of(), ada);
      second = ok(set(rest, ledger, newest(rest, ledger), bo));
      assertThat(second.get("size").longValue()).isEqualTo(4);
    }
    try (RestService rest = new RestService(data)) {
      assertThat(ok(rest.get(ledger + "/anchor"))).isEqualTo(second);
      assertThat(ok(rest.get(ledger + "/anchor?size=4"))).isEqualTo(second);
      assertThat(ok(rest.get(ledger + "/anchor?size=3"))).isEqualTo(first);
      refused(rest.get(ledger + "/anchor?size=1"), 404, "out_of_range");
    }
  }

  /// Anyone can read it from a public ledger and send it again.
  @Test
  void anAnchorThatIsKeptCostsItsSignerNoRead() throws Exception {
    try (RestService rest =
        new RestService(ServiceProperties.of(data, 0).withLimits(new LimitsProperties(0, 2)))) {
      String ledger = rest.found("public", true, ada);
      byte[] anchor = newest(rest, ledger).sign(ada).toArray();
      JsonNode first = ok(set(rest, ledger, anchor));
      for (int i = 0; i < 50; i++) {
        assertThat(ok(set(rest, ledger, anchor))).isEqualTo(first);
      }
      String id = ledger.substring(ledger.lastIndexOf('/') + 1);
      ok(rest.get(ledger + "/proposals", "Authorization", "Bearer " + AccessTest.token(ada, id)));
    }
  }

  /// It can sign nothing in the log, but to verify is what it is there for.
  @Test
  void aVerifyOnlyMemberMaySetAnAnchorToo() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("verified", ada);
      ObjectNode wish =
          MAPPER
              .createObjectNode()
              .put("action", "add")
              .put("role", "verifyOnly")
              .put("spki", base64(bo.publicKey()));
      Answer added =
          rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", wish, ada));
      assertThat(added.status()).as(added.text()).isEqualTo(201);
      JsonNode set = ok(set(rest, ledger, newest(rest, ledger), bo));
      assertThat(ok(rest.get(ledger + "/anchor"))).isEqualTo(set);
    }
  }

  @Test
  void whatIsNoHeadOfTheLogByAMemberIsRefused() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("strict", ada);
      String other = rest.found("other", ada);
      rest.append(ledger, "one", List.of(), ada);
      Anchor right = newest(rest, ledger);
      Digest root = right.root().digest();
      refused(set(rest, ledger, anchor(ledger, 4, Digest.ZERO), ada), 409, "head_refused");
      refused(set(rest, ledger, anchor(ledger, 3, root), ada), 404, "out_of_range");
      refused(set(rest, ledger, anchor(ledger, 5, root), ada), 404, "future_size");
      refused(set(rest, ledger, right, bo), 403, "unknown_key");
      refused(set(rest, other, right, ada), 422, "wrong_ledger");
      byte[] bent = right.sign(ada).toArray();
      bent[bent.length - 1] ^= 1;
      refused(set(rest, ledger, bent), 401, "bad_signature");
      refused(set(rest, ledger, new byte[] {1, 2, 3}), 400, "malformed");
      refused(
          set(rest, "/v1/ledgers/" + "ab".repeat(32), anchor("/" + "ab".repeat(32), 2, root), ada),
          404,
          "unknown_ledger");
      refused(rest.get(ledger + "/anchor"), 404, "out_of_range");
      refused(rest.get(ledger + "/last-time?at=9000000000000"), 404, "out_of_range");
      refused(rest.get(ledger + "/last-time"), 400, "malformed");
    }
  }
}
