package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a ledger that was closed and purged with its closing is listed no more, and its id is
/// answered with the purge; what an auditor needs of it is answered still. Method: a real service
/// over HTTP, also after it was started again.
class DeletedLedgerTest {
  @TempDir private Path data;
  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static ObjectNode wish(String kind) {
    return RestService.MAPPER.createObjectNode().put("kind", kind);
  }

  private long purge(RestService rest, String ledger, long height) throws Exception {
    ObjectNode body = RestService.MAPPER.createObjectNode().put("height", height);
    JsonNode made = ok(rest.post(ledger + "/purges:prepare", body));
    ObjectNode purge = wish("purge");
    for (String name : List.of("firstKept", "height", "digest")) {
      purge.set(name, made.get(name));
    }
    return rest.append(ledger, purge.put("recallMs", 0), ada);
  }

  private static List<String> listed(RestService rest) throws Exception {
    return ok(rest.get("/v1/ledgers?limit=1000"))
        .get("ledgers")
        .valueStream()
        .map(row -> "/v1/ledgers/" + row.get("ledgerId").stringValue())
        .toList();
  }

  private static void isGone(RestService rest, String ledger, long purge) throws Exception {
    assertThat(listed(rest)).doesNotContain(ledger);
    Answer gone = rest.get(ledger);
    assertThat(gone.status()).as(gone.text()).isEqualTo(410);
    JsonNode problem = gone.json();
    assertThat(problem.get("code").stringValue()).isEqualTo("purged");
    assertThat(problem.get("detail").stringValue()).contains("the ledger was deleted: journal 4 ");
    assertThat(problem.get("jsn").longValue()).isEqualTo(purge);
    JsonNode shown = ok(rest.get(ledger + "/journals/4/erasure"));
    assertThat(problem.get("receipt")).isEqualTo(shown.get("receipt")).isNotNull();
    assertThat(problem.get("attestation")).isEqualTo(shown.get("attestation")).isNotNull();
    for (String page : List.of("?from=0", "?kind=append")) {
      Answer journals = rest.get(ledger + "/journals" + page);
      assertThat(journals.status()).as(journals.text()).isEqualTo(410);
    }
    String files = "/l/" + ledger.substring(ledger.lastIndexOf('/') + 1) + "/0/";
    for (String path : List.of("/checkpoint", "/members", "/pseudo-genesis", "/blocks/latest")) {
      assertThat(rest.get(ledger + path).status()).as(path).isEqualTo(200);
    }
    assertThat(rest.get(ledger + "/journals/0").status()).isEqualTo(200);
    assertThat(rest.get(ledger + "/journals/" + purge).status()).isEqualTo(200);
    assertThat(rest.get(files + "checkpoint").status()).isEqualTo(200);
    assertThat(rest.get(files + "pseudo-genesis").status()).isEqualTo(200);
  }

  @Test
  void isNotListedAndItsIdIsAnsweredWithThePurge() throws Exception {
    String ledger;
    String other;
    long purge;
    try (RestService rest = new RestService(data)) {
      ledger = rest.found("short-lived", true, ada);
      other = rest.found("kept", true, ada);
      rest.append(ledger, "one", List.of(), ada);
      assertThat(rest.append(ledger, wish("close"), ada)).isEqualTo(4);
      assertThat(purge(rest, ledger, 1)).isEqualTo(6); // below the closing
      assertThat(listed(rest)).contains(ledger, other);
      assertThat(rest.get(ledger).status()).isEqualTo(200);
      purge = purge(rest, ledger, 3);
      isGone(rest, ledger, purge);
      assertThat(listed(rest)).contains(other);
    }
    try (RestService rest = new RestService(data)) {
      isGone(rest, ledger, purge);
    }
  }
}
