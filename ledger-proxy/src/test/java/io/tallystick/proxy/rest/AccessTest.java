package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.LimitsProperties;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: whoever is no member of a private ledger learns nothing of it, not even that it exists.
/// Method: a real service with two tenants, every route that reads, and a client that makes its
/// tokens by hand.
class AccessTest {
  private static final int BURST = 24;
  private static final String NOBODY = "/v1/ledgers/" + "5a".repeat(32);
  private static final String ADD = "{\"action\":\"add\",\"role\":\"%s\",\"spki\":\"%s\"}";

  private static final Signer ALICE = RestService.key(SignatureAlgorithm.ED25519);
  private static final Signer BOB = RestService.key(SignatureAlgorithm.ES256);

  @TempDir private static Path data;
  private static RestService rest;
  private static String alices;
  private static String bobs;
  private static String everybodys;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(ServiceProperties.of(data, 0));
    alices = rest.found("the books of Alice", ALICE);
    bobs = rest.found("the books of Bob", BOB);
    everybodys = rest.found("open books", true, BOB);
    ObjectNode secret = rest.prepared(alices, "secret", ALICE);
    assertThat(rest.post(alices + "/journals", secret).status()).isEqualTo(201);
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static String id(String ledger) {
    return ledger.substring(ledger.lastIndexOf('/') + 1);
  }

  static String token(Signer key, String audience) {
    return token(key, audience, System.currentTimeMillis() / 1000 + 200);
  }

  static String token(Signer key, String audience, long expires) {
    String alg = key.publicKey().algorithm() == SignatureAlgorithm.ED25519 ? "EdDSA" : "ES256";
    String header =
        String.format(
            Locale.ROOT,
            "{\"alg\":\"%s\",\"typ\":\"tallystick-read+jwt\",\"kid\":\"%s\"}",
            alg,
            key.publicKey().kid().hex());
    String claims = String.format(Locale.ROOT, "{\"aud\":\"%s\",\"exp\":%d}", audience, expires);
    String input = base64(ascii(header)) + "." + base64(ascii(claims));
    return input + "." + base64(key.sign(ascii(input)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static Answer read(String path, String token) throws Exception {
    return rest.get(path, "Authorization", "Bearer " + token);
  }

  private static List<String> routes(String ledger) {
    String files = "/l/" + id(ledger) + "/0";
    return List.of(
        ledger,
        ledger + "/members",
        ledger + "/journals",
        ledger + "/journals/1",
        ledger + "/journals/1/receipt",
        ledger + "/journals/1/proof",
        ledger + "/clue?clue=a",
        ledger + "/lineage?clue=a",
        ledger + "/lineage?clue=a&journals=false",
        ledger + "/consistency?from=1",
        ledger + "/blocks/latest",
        ledger + "/blocks/0",
        ledger + "/checkpoint",
        ledger + "/key-chain",
        files + "/checkpoint",
        files + "/tile/entries/000.p/2",
        files + "/tile/0/000.p/2",
        files + "/tile/attest/000.p/2",
        files + "/bodies/000.p/2");
  }

  private static void refused(Answer answer, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(401);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
    assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
  }

  private static String detail(Answer answer) {
    return answer.json().get("detail").stringValue();
  }

  @Test
  void aMemberReadsEveryRouteWithATokenForTheLedgerOrForTheService() throws Exception {
    for (String route : routes(alices)) {
      assertThat(read(route, token(ALICE, id(alices))).status()).as(route).isEqualTo(200);
      assertThat(read(route, token(ALICE, "localhost")).status()).as(route).isEqualTo(200);
    }
  }

  @Test
  void nobodyElseReadsAnyAndALedgerThereIsNoneOfLooksTheSame() throws Exception {
    List<String> routes = new ArrayList<>(routes(alices));
    routes.add(alices + "/journals/1/membership?clue=a");
    routes.add(alices + "/journals/1/erasure");
    routes.add(alices + "/journals/1/certificate");
    routes.add(alices + "/pseudo-genesis");
    routes.add("/l/" + id(alices) + "/0/pseudo-genesis");
    routes.add("/l/" + id(alices) + "/0/key-chain");
    routes.add("/l/" + id(alices) + "/0/snapshot/window");
    routes.add("/l/" + id(alices) + "/0/snapshot/clues");
    routes.add("/l/" + id(alices) + "/0/snapshot/state");
    routes.add(alices + "/anchor");
    routes.add(alices + "/last-time?at=1");
    for (String route : routes) {
      String none = route.replace(id(alices), id(NOBODY));
      refused(rest.get(route), "token_required");
      assertThat(detail(rest.get(route)))
          .isEqualTo(detail(rest.get(none)).replace(id(NOBODY), id(alices)));
      for (String token : List.of(token(BOB, id(alices)), token(BOB, "localhost"))) {
        refused(read(route, token), "token_invalid");
        assertThat(detail(read(route, token))).isEqualTo(detail(read(none, token)));
      }
      refused(read(route, token(ALICE, id(bobs))), "token_invalid");
      refused(read(route, "x.y.z"), "token_invalid");
      for (String other : List.of("Basic YTpi", "Digest a=b", "abc", "Bearerx abc")) {
        Answer answer = rest.get(route, "Authorization", other);
        refused(answer, "token_required");
        assertThat(detail(answer)).isEqualTo(detail(rest.get(route)));
      }
      refused(rest.get(route, "Authorization", "Bearer"), "token_invalid");
    }
  }

  @Test
  void verifyAsksForATokenToo() throws Exception {
    JsonNode receipt = read(alices + "/journals/1/receipt", token(ALICE, "localhost")).json();
    ObjectNode shown = RestService.MAPPER.createObjectNode();
    shown.set("leaf", receipt.get("leaf"));
    shown.set("receipt", receipt.get("receipt"));
    refused(rest.post(alices + ":verify", shown), "token_required");
    String bearer = "Bearer " + token(ALICE, id(alices));
    byte[] body = RestService.MAPPER.writeValueAsBytes(shown);
    Answer verdict =
        rest.post(alices + ":verify", "application/json", body, "Authorization", bearer);
    assertThat(verdict.json().get("verified").booleanValue()).isTrue();
  }

  @Test
  void aPublicLedgerIsReadWithoutOne() throws Exception {
    for (String route : routes(everybodys)) {
      assertThat(rest.get(route).status()).as(route).isEqualTo(200);
      // A proxy in front may ask for a name of its own.
      assertThat(rest.get(route, "Authorization", "Basic YTpi").status()).as(route).isEqualTo(200);
    }
  }

  @Test
  void aListShowsWhatItsReaderMaySee() throws Exception {
    assertThat(ids(rest.get("/v1/ledgers"))).containsExactly(id(everybodys));
    assertThat(ids(read("/v1/ledgers", token(ALICE, "localhost")))).containsExactly(id(alices));
    assertThat(ids(read("/v1/ledgers", token(BOB, "localhost"))))
        .containsExactlyInAnyOrder(id(bobs), id(everybodys));
    refused(read("/v1/ledgers", token(ALICE, id(alices))), "token_invalid");
    Signer stranger = RestService.key(SignatureAlgorithm.ED25519);
    refused(read("/v1/ledgers", token(stranger, "localhost")), "token_invalid");
  }

  private static List<String> ids(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer
        .json()
        .get("ledgers")
        .valueStream()
        .map(row -> row.get("ledgerId").stringValue())
        .toList();
  }

  @Test
  void aTokenIsWorthNothingOnceItsSignerIsRevoked() throws Exception {
    Signer carol = RestService.key(SignatureAlgorithm.ED25519);
    change(String.format(Locale.ROOT, ADD, "readOnly", RestService.base64(carol.publicKey())));
    String token = token(carol, id(alices));
    assertThat(read(alices + "/journals/1", token).status()).isEqualTo(200);
    change(
        String.format(
            Locale.ROOT, "{\"action\":\"revoke\",\"kid\":\"%s\"}", carol.publicKey().kid().hex()));
    refused(read(alices + "/journals/1", token), "token_invalid");
    refused(read("/v1/ledgers", token(carol, "localhost")), "token_invalid");
  }

  @Test
  void aVerifyOnlyMemberReadsEvidenceAndNoBodies() throws Exception {
    Signer auditor = RestService.key(SignatureAlgorithm.ED25519);
    change(String.format(Locale.ROOT, ADD, "verifyOnly", RestService.base64(auditor.publicKey())));
    String token = token(auditor, id(alices));
    List<String> routes = new ArrayList<>(routes(alices));
    routes.add(alices + "/journals/0");
    routes.add(alices + "/journals/2");
    for (String route : routes) {
      boolean bodies =
          route.endsWith("/journals")
              || route.endsWith("/journals/2")
              || route.endsWith("/lineage?clue=a")
              || route.contains("/bodies/");
      Answer answer = read(route, token);
      assertThat(answer.status()).as(route).isEqualTo(bodies ? 403 : 200);
      if (bodies) {
        assertThat(answer.json().get("code").stringValue()).isEqualTo("role_not_allowed");
      }
    }
    // With data guesses at a body could be tested.
    for (String asked : List.of("{\"jsn\":2}", "{\"jsn\":2,\"data\":\"\"}")) {
      Answer verdict =
          rest.post(
              alices + ":verify",
              "application/json",
              ascii(asked),
              "Authorization",
              "Bearer " + token);
      assertThat(verdict.status()).as(asked).isEqualTo(asked.contains("data") ? 403 : 200);
    }
  }

  @Test
  void anExpiredTokenIsToldApartFromAWrongOne() throws Exception {
    long now = System.currentTimeMillis() / 1000;
    Answer expired = read(alices, token(ALICE, id(alices), now - 1));
    refused(expired, "token_invalid");
    assertThat(detail(expired)).contains("expired");
    Answer tooLong = read(alices, token(ALICE, id(alices), now + 3600));
    refused(tooLong, "token_invalid");
    assertThat(tooLong.json().get("limit").longValue()).isEqualTo(300);
  }

  @Test
  void whoReadsOrAppendsTooOftenIsToldWhatHeMay(@TempDir Path other) throws Exception {
    try (RestService limited =
        new RestService(ServiceProperties.of(other, 0).withLimits(new LimitsProperties(2, 2)))) {
      String ledger = limited.found("limited", ALICE);
      String token = token(ALICE, id(ledger));
      List<Integer> reads = new ArrayList<>();
      List<ObjectNode> requests = new ArrayList<>();
      for (int i = 0; i < BURST; i++) {
        reads.add(limited.get(ledger, "Authorization", "Bearer " + token).status());
      }
      for (int i = 0; i < BURST; i++) {
        requests.add(limited.prepared(ledger, "x" + i, ALICE));
      }
      assertThat(reads).contains(200, 429);
      List<Integer> appends = new ArrayList<>();
      Answer refused = limited.get(ledger);
      for (ObjectNode request : requests) {
        Answer answer = limited.post(ledger + "/journals", request);
        appends.add(answer.status());
        refused = answer.status() == 429 ? answer : refused;
      }
      assertThat(appends).contains(201, 429);
      assertThat(refused.json().get("code").stringValue()).isEqualTo("rate_limited");
      assertThat(refused.json().get("limit").longValue()).isEqualTo(2);
      assertThat(refused.header("Retry-After")).isEqualTo("1");
      assertThat(limited.get(ledger).status()).isEqualTo(401);
    }
  }

  private static void change(String wish) throws Exception {
    ObjectNode wanted = (ObjectNode) RestService.MAPPER.readTree(wish);
    ObjectNode request = rest.signed(alices + "/members:prepare", wanted, ALICE);
    assertThat(rest.post(alices + "/members", request).status()).isEqualTo(201);
  }
}
