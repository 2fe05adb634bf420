package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: whatever is wrong about a clue is told by name, with the limit, and writes nothing.
/// Method: the real application and one ledger with clues.
class LineageRefusalTest {
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);

  @TempDir private static Path data;

  private static RestService rest;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    ledger = rest.found("refusals", OWNER);
    for (int i = 0; i < 3; i++) {
      rest.append(ledger, "revision " + i, List.of("a"), OWNER);
    }
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static JsonNode assertProblem(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.json().get("code").stringValue()).as(answer.text()).isEqualTo(code);
    return answer.json();
  }

  private static long size() throws Exception {
    return rest.get(ledger).json().get("size").longValue();
  }

  @ParameterizedTest
  @CsvSource({
    "clue, 400, malformed",
    "clue?clue=a&clueId=00, 400, malformed",
    "clue?clue=a&clue=b, 400, malformed",
    "clue?clueId=xyz, 400, malformed",
    "clue?clue=, 422, clue_invalid",
    "clue?clue=%ED%A0%80, 400, malformed",
    "lineage, 400, malformed",
    "lineage?clue=a&from=0&fromJsn=2, 400, malformed",
    "lineage?clue=a&asOfSize=3&asOfBlock=0, 400, malformed",
    "lineage?clue=a&order=up, 400, malformed",
    "lineage?clue=a&journals=no, 400, malformed",
    "lineage?clue=a&limit=1001, 413, too_large",
    "lineage?clue=a&limit=-1, 400, malformed",
    "lineage?clue=a&from=x, 400, malformed",
    "lineage?clue=a&cursor=AAAA, 400, malformed",
    "lineage?clue=a&asOfSize=99, 404, future_size",
    "lineage?clue=a&asOfBlock=99, 404, out_of_range",
    "journals/2/membership, 400, malformed",
    "journals/2/membership?clue=b, 404, out_of_range",
    "journals/1/membership?clue=a, 404, out_of_range",
    "journals/99/membership?clue=a, 404, out_of_range",
    "journals/x/membership?clue=a, 400, malformed",
  })
  void aWrongReadIsAProblem(String path, int status, String code) throws Exception {
    assertProblem(rest.get(ledger + "/" + path), status, code);
  }

  @Test
  void aSizeOrBlockThatDoesNotExistYetNamesTheNewest() throws Exception {
    JsonNode latest = rest.get(ledger + "/blocks/latest").json();
    JsonNode size =
        assertProblem(rest.get(ledger + "/lineage?clue=a&asOfSize=99"), 404, "future_size");
    assertThat(size.get("limit")).isEqualTo(latest.get("size"));
    JsonNode block =
        assertProblem(rest.get(ledger + "/lineage?clue=a&asOfBlock=99"), 404, "out_of_range");
    assertThat(block.get("limit").longValue()).isEqualTo(latest.get("height").longValue());
  }

  @Test
  void aCursorOfAnotherLedgerOrClueOrAForgedOneIsMalformed() throws Exception {
    String cursor = rest.get(ledger + "/lineage?clue=a&limit=1").json().get("cursor").stringValue();
    String next = "/lineage?clue=a&cursor=" + cursor;
    assertThat(rest.get(ledger + next).status()).isEqualTo(200);
    String other = rest.found("other", OWNER);
    assertProblem(rest.get(other + next), 400, "malformed");
    assertProblem(rest.get(ledger + "/lineage?clue=b&cursor=" + cursor), 400, "malformed");
    assertProblem(rest.get(ledger + "/journals?cursor=" + cursor), 400, "malformed");
    for (int i = 0; i < cursor.length(); i++) {
      char forged = cursor.charAt(i) == 'A' ? 'B' : 'A';
      String text = cursor.substring(0, i) + forged + cursor.substring(i + 1);
      assertProblem(rest.get(ledger + "/lineage?clue=a&cursor=" + text), 400, "malformed");
    }
    for (String first : new String[] {"from=0", "fromJsn=0", "order=asc", "asOfSize=1"}) {
      assertProblem(rest.get(ledger + next + "&" + first), 400, "malformed");
    }
  }

  @Test
  void unknownLedgersAndFormsAreTold() throws Exception {
    String unknown = "/v1/ledgers/" + "0".repeat(64);
    for (String path : new String[] {"/clue", "/lineage", "/journals/0/membership"}) {
      assertProblem(rest.get(unknown + path + "?clue=a"), 404, "unknown_ledger");
      Answer form = rest.get(ledger + path + "?clue=a", "Accept", "application/cose");
      assertProblem(form, 406, "not_acceptable");
      assertThat(form.json().get("detail").stringValue()).contains("application/cbor");
    }
  }

  private static Answer prepare(String clues) throws Exception {
    String body =
        String.format(
            Locale.ROOT,
            "{\"payload\":\"\",\"signers\":[\"%s\"],\"clues\":%s}",
            OWNER.publicKey().kid().hex(),
            clues);
    return rest.post(
        ledger + "/journals:prepare", "application/json", body.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aClueThatBreaksARuleIsNamedWithTheLimit() throws Exception {
    long before = size();
    assertRefused("[\"a\",\"\"]", "clue 1 is empty", 0);
    assertRefused("[\"a\",\"b\",\"a\"]", "clue 2 is there twice", 0);
    assertRefused("[\"\\ud800\"]", "clue 0 is not UTF-8", 0);
    assertRefused("[\"" + "x".repeat(257) + "\"]", "clue 0 has 257 bytes", 256);
    assertRefused("[\"" + "é".repeat(129) + "\"]", "clue 0 has 258 bytes", 256);
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      many.add("\"" + i + "\"");
    }
    assertRefused(many.toString(), "65 clues", 64);
    assertProblem(prepare("[7]"), 400, "malformed");
    assertProblem(prepare("\"a\""), 400, "malformed");
    assertThat(prepare("[\"" + "é".repeat(128) + "\"]").status()).isEqualTo(200);
    assertThat(size()).isEqualTo(before);
  }

  private static void assertRefused(String clues, String detail, long limit) throws Exception {
    JsonNode problem = assertProblem(prepare(clues), 422, "clue_invalid");
    assertThat(problem.get("detail").stringValue()).contains(detail);
    assertThat(problem.has("limit") ? problem.get("limit").longValue() : 0).isEqualTo(limit);
  }

  private static Answer prepareKind(String fields) throws Exception {
    String body =
        String.format(
            Locale.ROOT, "{%s,\"signers\":[\"%s\"]}", fields, OWNER.publicKey().kid().hex());
    return rest.post(
        ledger + "/journals:prepare",
        "application/json",
        body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'kind':'purge' | 400 | malformed",
        "'kind':7 | 400 | malformed",
        "'kind':'clueDelete' | 400 | malformed",
        "'kind':'clueDelete','clue':7 | 400 | malformed",
        "'kind':'clueDelete','clue':'' | 422 | clue_invalid",
        "'kind':'clueDelete','clue':'\\ud800' | 422 | clue_invalid",
        "'kind':'clueDelete','clue':'a','payload':'' | 400 | malformed",
        "'kind':'clueDelete','clue':'a','clues':['a'] | 400 | malformed",
        "'kind':'append','payload':'','clue':'a' | 400 | malformed",
        "'kind':'parameters' | 400 | malformed",
        "'kind':'parameters','features':[1] | 400 | malformed",
        "'kind':'parameters','firstHeight':0,'features':[1] | 400 | malformed",
        "'kind':'parameters','firstHeight':9 | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':[] | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':[0] | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':[3] | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':[1,1] | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':['1'] | 400 | malformed",
        "'kind':'parameters','firstHeight':9,'features':[99999999999999999999] | 400 | malformed",
      })
  void aWrongWishIsAProblem(String fields, int status, String code) throws Exception {
    assertProblem(prepareKind(fields), status, code);
  }

  @Test
  void parametersThatChangeNothingAreRefusedWhenAppended() throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "parameters").put("firstHeight", 99);
    wish.putArray("features").add(1);
    ObjectNode request = rest.signed(ledger + "/journals:prepare", wish, OWNER);
    assertProblem(rest.post(ledger + "/journals", request), 422, "parameters_invalid");
    assertProblem(rest.post(ledger + "/members", request), 400, "malformed");
  }

  @Test
  void cluesOfALedgerWithoutThemAreRefusedWhenAppended() throws Exception {
    String without = rest.foundWithoutClues("without", OWNER);
    ObjectNode wish = MAPPER.createObjectNode().put("payload", "");
    wish.putArray("clues").add("a");
    ObjectNode request = rest.signed(without + "/journals:prepare", wish, OWNER);
    assertProblem(rest.post(without + "/journals", request), 422, "feature_not_enabled");
    assertThat(rest.get(without).json().get("size").longValue()).isEqualTo(2);
  }
}
