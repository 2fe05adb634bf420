package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// Goal: journals are found over REST by who signed them, what they ask for and when they came, and
/// a scan goes on where it stopped. Method: the real application; all answers compared with what
/// was appended.
class ScanJourneyTest {
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);
  private static final Signer CLERK = RestService.key(SignatureAlgorithm.ES256);

  @TempDir private static Path data;
  private static RestService rest;
  private static String ledger;
  private static final List<Long> BY_CLERK = new ArrayList<>();
  private static long added;

  /// Genesis and its seal; the clerk; six journals of owner and clerk in turn.
  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    ledger = rest.found("scanned", OWNER);
    var add =
        RestService.MAPPER
            .createObjectNode()
            .put("action", "add")
            .put("role", "normal")
            .put("spki", RestService.base64(CLERK.publicKey()));
    JsonNode request = rest.signed(ledger + "/members:prepare", add, OWNER);
    added = rest.post(ledger + "/members", request).json().get("jsn").longValue();
    for (int i = 0; i < 3; i++) {
      rest.append(ledger, "by the owner " + i, List.of(), OWNER);
      BY_CLERK.add(rest.append(ledger, "by the clerk " + i, List.of(), CLERK));
    }
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static JsonNode scan(String query) throws Exception {
    Answer answer = rest.get(ledger + "/journals?" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static List<Long> jsns(JsonNode answer) {
    return answer.get("journals").valueStream().map(row -> row.get("jsn").longValue()).toList();
  }

  @Test
  void findsWhatAKeySignedWithItsAttestation() throws Exception {
    String clerk = CLERK.publicKey().kid().hex();
    JsonNode found = scan("signer=" + clerk);
    assertThat(jsns(found)).isEqualTo(BY_CLERK);
    assertThat(found.get("scannedTo").longValue()).isEqualTo(found.get("size").longValue());
    assertThat(found.has("cursor")).isFalse();
    JsonNode first = found.get("journals").get(0);
    assertThat(first.get("content").get("signers").get(0).stringValue()).isEqualTo(clerk);
    assertThat(first.has("attestation")).isTrue();
    assertThat(jsns(scan("signer=" + "0".repeat(64)))).isEmpty();
  }

  @Test
  void findsJournalsOfAKind() throws Exception {
    assertThat(jsns(scan("kind=memberAdd"))).containsExactly(added);
    assertThat(jsns(scan("kind=append"))).hasSize(6);
    assertThat(jsns(scan("kind=occult"))).isEmpty();
    String both = "kind=append&signer=" + OWNER.publicKey().kid().hex();
    assertThat(jsns(scan(both))).hasSize(3).doesNotContainAnyElementsOf(BY_CLERK);
  }

  @Test
  void findsLeavesOfATime() throws Exception {
    List<Long> times =
        scan("kind=append")
            .get("journals")
            .valueStream()
            .map(row -> row.get("timeMs").longValue())
            .toList();
    JsonNode later = scan("fromTime=" + times.get(2));
    JsonNode all = rest.get(ledger + "/journals?limit=1000").json();
    List<Long> want =
        all.get("journals")
            .valueStream()
            .filter(row -> row.get("timeMs").longValue() >= times.get(2))
            .map(row -> row.get("jsn").longValue())
            .toList();
    assertThat(jsns(later)).isEqualTo(want);
    JsonNode before = scan("toTime=" + times.get(2));
    List<Long> rest = new ArrayList<>(jsns(all));
    rest.removeAll(want);
    assertThat(jsns(before)).isEqualTo(rest);
    assertThat(before.get("scannedTo").longValue()).isEqualTo(want.getFirst());
    assertThat(before.has("cursor")).isFalse();
    assertThat(jsns(scan("fromTime=" + (times.getLast() + 1_000_000)))).isEmpty();
    assertThat(jsns(scan("toTime=1"))).isEmpty();
  }

  @Test
  void aScanGoesOnWhereItStopped() throws Exception {
    String query = "limit=1&kind=append&signer=" + CLERK.publicKey().kid().hex();
    List<Long> found = new ArrayList<>();
    JsonNode page = scan(query);
    for (int i = 0; i < 10 && page.has("cursor"); i++) {
      found.addAll(jsns(page));
      String cursor = page.get("cursor").stringValue();
      assertThat(rest.get(ledger + "/journals?cursor=" + cursor).status()).isEqualTo(400);
      page = scan(query + "&cursor=" + cursor);
    }
    found.addAll(jsns(page));
    assertThat(found).isEqualTo(BY_CLERK);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "signer=ab | signer is not 64 lower-case hex digits",
        "kind=Append | kind is none of append, clueDelete, memberAdd",
        "kind= | kind is none of append",
        "fromTime=yesterday | fromTime is no whole number",
        "fromTime=2&toTime=2 | no time is from 2 to before 2",
        "fromTime=-1 | fromTime is no whole number",
        "kind=append&kind=time | kind is there 2 times",
      })
  void whatIsNoConditionIsRefused(String query, String why) throws Exception {
    Answer answer = rest.get(ledger + "/journals?" + query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.json().get("code").stringValue()).isEqualTo("malformed");
    assertThat(answer.json().get("detail").stringValue()).contains(why);
  }
}
