package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a query parameter that would be ignored is refused, and says which there are. Method: the
/// real application; names that are wrong, or there twice, on routes with and without a query.
class QueryTest {
  @TempDir private static Path data;

  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);
  private static RestService rest;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    ledger = rest.found("queries", OWNER);
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static void malformed(Answer answer, String why) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.json().get("code").stringValue()).isEqualTo("malformed");
    assertThat(answer.json().get("detail").stringValue()).contains(why);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}/journals?form=20 | no query parameter form here, only cursor, from, fromTime, kind, limit, signer, toTime",
        "{}/journals/0/proof?siez=3 | no query parameter siez here, only size",
        "{}/journals?FROM=0 | no query parameter FROM here",
        "/v1/ledgers?limt=1 | no query parameter limt here, only cursor, limit",
        "/v1/ledgers?limit=1&limt=1 | no query parameter limt here",
        "/v1/ledgers?x | no query parameter x here",
        "/v1/service?x=1 | no query parameter x here, nor any other",
        "/v1/openapi.yaml?x=1 | no query parameter x here, nor any other",
        "{}?x=1 | no query parameter x here, nor any other",
        "{}/clue?clue=a&from=1 | no query parameter from here, only clue, clueId",
        "{}/journals/0/membership?clue=a&x=1 | no query parameter x here, only clue, clueId",
        "{}/lineage?clue=a&asof=1 | only asOfBlock, asOfSize, clue, clueId, cursor, from, fromJsn, journals, limit, order",
        "{}/checkpoint?x=1 | no query parameter x here, only cosigned",
        "{}/consistency?from=1&size=1 | no query parameter size here, only from, to",
        "/v1/ledgers?limit=1&limit=1 | limit is there 2 times",
        "{}/journals?from=0&from=0 | from is there 2 times",
        "{}/lineage?clue=a&clue=a | clue is there 2 times",
        "{}/lineage?limit=1&clue=C++ | query parameter clue has a + that is not escaped; write %2B",
        "{}/clue?clue=two+words | query parameter clue has a + that is not escaped; write %2B",
        "{}/state?from=a+b&limit=1 | query parameter from has a + that is not escaped",
      })
  void aParameterThatWouldBeIgnoredIsRefused(String path, String why) throws Exception {
    malformed(rest.get(path.replace("{}", ledger)), why);
  }

  @Test
  void anEscapedPlusAndSpaceAreWhatTheySay() throws Exception {
    for (String[] each : new String[][] {{"C%2B%2B", "C++"}, {"two%20words", "two words"}}) {
      long jsn = rest.append(ledger, "a journal", List.of(each[1]), OWNER);
      Answer lineage = rest.get(ledger + "/lineage?clue=" + each[0]);
      assertThat(lineage.status()).as(lineage.text()).isEqualTo(200);
      assertThat(lineage.json().get("journals").get(0).get("jsn").longValue()).isEqualTo(jsn);
    }
  }

  @Test
  void soItIsWhereSomethingIsSent() throws Exception {
    malformed(
        rest.post(ledger + "/journals?mode=deferred", "application/json", new byte[] {'{', '}'}),
        "no query parameter mode here, nor any other");
  }

  @Test
  void aQueryIsNoneOfTheBusinessOfFilesAndHealth() throws Exception {
    assertThat(rest.get("/actuator/health?x=1").status()).isEqualTo(200);
    String file = "/l/" + ledger.substring(ledger.lastIndexOf('/') + 1) + "/0/checkpoint?x=1";
    assertThat(rest.get(file).status()).isEqualTo(200);
  }
}
