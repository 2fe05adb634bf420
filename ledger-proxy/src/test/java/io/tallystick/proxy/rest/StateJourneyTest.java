package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cose.InclusionProofBytes;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Limits;
import io.tallystick.merkle.forest.StateAnswer;
import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.receipt.Receipt;
import io.tallystick.state.KeyWrite;
import io.tallystick.state.LookupProof;
import io.tallystick.state.LookupsProof;
import io.tallystick.state.RangeOfState;
import io.tallystick.state.StateValue;
import io.tallystick.state.WriteProof;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: over REST keys are written, read, listed and proven as of any block, and whatever is wrong
/// is told by name and writes nothing. Method: the real application, a client of JSON and
/// signatures only, and core's verifiers on what it got.
class StateJourneyTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();
  private static final Signer OWNER = RestService.key(SignatureAlgorithm.ED25519);

  @TempDir private static Path data;

  private static RestService rest;
  private static String refusals;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    refusals = rest.foundWithState("refusals", OWNER);
    write(refusals, put("a", "1"));
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static ObjectNode put(String key, String value) {
    return MAPPER.createObjectNode().put("op", "put").put("keyText", key).put("valueText", value);
  }

  private static ObjectNode delete(String key) {
    return MAPPER.createObjectNode().put("op", "delete").put("keyText", key);
  }

  private static ObjectNode wish(ObjectNode... operations) {
    ObjectNode wish = MAPPER.createObjectNode().put("payload", "");
    ArrayNode array = wish.putArray("operations");
    for (ObjectNode operation : operations) {
      array.add(operation);
    }
    return wish;
  }

  private static long write(String ledger, ObjectNode... operations) throws Exception {
    return rest.append(ledger, wish(operations), OWNER);
  }

  private static SignedHead head(String ledger, JsonNode answer) throws Exception {
    JsonNode service = rest.get("/v1/service").json();
    ServiceKeys keys =
        new ServiceKeys(
            new Authority(service.get("authority").stringValue()),
            PublicKey.ofSpki(Bytes.wrap(bytes(service.get("noteKey")))),
            PublicKey.ofSpki(Bytes.wrap(bytes(service.get("receiptKey")))));
    StrandId strand = new StrandId(LedgerId.fromHex(ledger.substring("/v1/ledgers/".length())), 0);
    JsonNode head = answer.get("head");
    return Receipt.decode(Bytes.wrap(bytes(head.get("headReceipt"))))
        .verify(Bytes.wrap(bytes(head.get("sealLeaf"))), strand, keys, SIGNATURES);
  }

  private static JsonNode get(String path) throws Exception {
    Answer answer = rest.get(path);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  /// What the proof says.
  private static StateAnswer verified(String ledger, JsonNode answer) throws Exception {
    return LookupProof.decode(Bytes.wrap(bytes(answer.get("proof"))))
        .verify(Bytes.wrap(bytes(answer.get("key"))), head(ledger, answer));
  }

  /// The value of an entry, as its commitment says.
  private static String value(JsonNode shown, StateEntry entry) throws Exception {
    assertThat(shown.get("valueCommit").stringValue())
        .isEqualTo(entry.valueCommit().orElseThrow().hex());
    assertThat(shown.get("jsn").longValue()).isEqualTo(entry.jsn().value());
    byte[] value = bytes(shown.get("value"));
    new StateValue(Digest.fromHex(shown.get("opening").stringValue()), Bytes.wrap(value))
        .verify(entry);
    return new String(value, StandardCharsets.UTF_8);
  }

  private static String value(String ledger, JsonNode answer) throws Exception {
    assertThat(verified(ledger, answer)).isInstanceOf(StateAnswer.Present.class);
    StateEntry entry = ((StateAnswer.Present) verified(ledger, answer)).entry();
    return value(answer.get("entry"), entry);
  }

  @Test
  void aKeyIsWrittenReadDeletedAndStillReadAsOfAnEarlierBlock() throws Exception {
    String ledger = rest.foundWithState("journey", OWNER);
    long first = write(ledger, put("a", "1"), put("b", "2"));
    long height = get(ledger + "/blocks/latest").get("height").longValue();
    ObjectNode change = put("a", "3");
    change.put("ifVersion", first);
    write(ledger, change, delete("b"));

    JsonNode a = get(ledger + "/state/a");
    assertThat(a.get("state").stringValue()).isEqualTo("present");
    assertThat(a.get("keyText").stringValue()).isEqualTo("a");
    assertThat(value(ledger, a)).isEqualTo("3");
    JsonNode b = get(ledger + "/state/62?keys=hex");
    assertThat(b.get("state").stringValue()).isEqualTo("deleted");
    assertThat(verified(ledger, b)).isInstanceOf(StateAnswer.Deleted.class);
    JsonNode c = get(ledger + "/state/c");
    assertThat(c.get("neverWritten").booleanValue()).isTrue();
    assertThat(verified(ledger, c)).isInstanceOf(StateAnswer.Absent.class);

    JsonNode before = get(ledger + "/state/a?asOf=" + height);
    assertThat(before.get("head").get("height").longValue()).isEqualTo(height);
    assertThat(value(ledger, before)).isEqualTo("1");
    JsonNode bare = get(ledger + "/state/a?proof=false&values=false");
    assertThat(bare.has("proof")).isFalse();
    assertThat(bare.get("entry").has("value")).isFalse();

    JsonNode history = get(ledger + "/state/a/history?limit=1");
    assertThat(history.has("end")).isFalse();
    checkVersion(ledger, history, 0, "3");
    JsonNode rest = get(ledger + "/state/a/history?cursor=" + history.get("cursor").stringValue());
    assertThat(rest.get("end").stringValue()).isEqualTo("founding");
    assertThat(rest.has("cursor")).isFalse();
    assertThat(rest.get("versions").get(0).get("jsn").longValue()).isEqualTo(first);
    checkVersion(ledger, rest, 0, "1");
    assertThat(verified(ledger, rest.get("before"))).isInstanceOf(StateAnswer.Absent.class);
    assertThat(get(ledger + "/state/a/history?asOf=" + height).get("versions")).hasSize(1);
    JsonNode bareVersion =
        get(ledger + "/state/b/history?proof=false&values=false").get("versions").get(0);
    assertThat(bareVersion.get("op").stringValue()).isEqualTo("delete");
    assertThat(bareVersion.has("written")).isFalse();
    assertThat(bareVersion.has("still")).isFalse();
  }

  /// A version by its own proof, and what is shown of the state after it.
  private static void checkVersion(String ledger, JsonNode history, int index, String text)
      throws Exception {
    JsonNode version = history.get("versions").get(index);
    JsonNode written = version.get("written");
    WriteProof proof =
        new WriteProof(
            Bytes.wrap(bytes(written.get("leaf"))),
            InclusionProofBytes.decode(Bytes.wrap(bytes(written.get("inclusion")))),
            Bytes.wrap(bytes(written.get("op"))),
            InclusionProofBytes.decode(Bytes.wrap(bytes(written.get("opInclusion")))),
            Bytes.wrap(bytes(written.get("sealLeaf"))),
            InclusionProofBytes.decode(Bytes.wrap(bytes(written.get("sealInclusion")))));
    SignedHead head = head(ledger, get(ledger + "/state/a"));
    KeyWrite write = proof.verify(Bytes.utf8("a"), head);
    assertThat(history.get("size").longValue()).isEqualTo(head.size().value());
    assertThat(write.height()).isEqualTo(version.get("height").longValue());
    assertThat(value(version, write.entry())).isEqualTo(text);
    assertThat(verified(ledger, version.get("still")))
        .isEqualTo(new StateAnswer.Present(write.entry()));
  }

  @Test
  void aRangeIsListedInPagesOfOneStateAndProvenToBeAll() throws Exception {
    String ledger = rest.foundWithState("pages", OWNER);
    TreeMap<String, String> model = new TreeMap<>();
    for (int block = 0; block < 8; block++) {
      ObjectNode[] operations = new ObjectNode[6];
      for (int i = 0; i < operations.length; i++) {
        String key = String.format(Locale.ROOT, "k%02d", (block * 7 + i * 5) % 40);
        model.put(key, block + "." + i);
        operations[i] = put(key, block + "." + i);
      }
      write(ledger, operations);
    }
    TreeMap<String, String> found = new TreeMap<>();
    String path = ledger + "/state?from=k05&to=k30&limit=7";
    int pages = 0;
    while (path != null) {
      JsonNode page = get(path);
      RangeOfState proof = RangeOfState.decode(Bytes.wrap(bytes(page.get("proof"))));
      List<StateEntry> entries =
          proof.verify(proof.from(), Optional.of(Bytes.utf8("k30")), head(ledger, page));
      assertThat(page.get("entries").size()).isEqualTo(entries.size());
      for (int i = 0; i < entries.size(); i++) {
        JsonNode shown = page.get("entries").get(i);
        found.put(shown.get("keyText").stringValue(), value(shown, entries.get(i)));
      }
      if (pages++ == 0) {
        write(ledger, put("k06", "later"), delete("k29"));
      }
      path =
          page.has("cursor")
              ? ledger + "/state?limit=7&cursor=" + page.get("cursor").stringValue()
              : null;
    }
    assertThat(pages).isGreaterThan(2);
    assertThat(found).isEqualTo(model.subMap("k05", "k30"));
  }

  /// Of several keys.
  private static ObjectNode lookup(String field, List<String> keys) {
    ObjectNode wish = MAPPER.createObjectNode();
    ArrayNode array = wish.putArray(field);
    keys.forEach(array::add);
    return wish;
  }

  private static JsonNode post(String path, ObjectNode wish) throws Exception {
    Answer answer = rest.post(path, wish);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  @Test
  void severalKeysAreReadWithOneProof() throws Exception {
    String ledger = rest.foundWithState("several", OWNER);
    write(ledger, put("a", "1"), put("b", "2"), put("c", "3"));
    long height = get(ledger + "/blocks/latest").get("height").longValue();
    write(ledger, put("a", "4"), delete("b"));
    String path = ledger + "/state:lookup";
    JsonNode found = post(path, lookup("keyTexts", List.of("d", "c", "b", "a")));
    List<Bytes> keys = List.of(utf8("a"), utf8("b"), utf8("c"), utf8("d"));
    List<StateAnswer> answers =
        LookupsProof.decode(Bytes.wrap(bytes(found.get("proof"))))
            .verify(keys, head(ledger, found));
    assertThat(found.has("nextKey")).isFalse();
    for (int i = 0; i < keys.size(); i++) {
      JsonNode shown = found.get("states").get(i);
      JsonNode one = get(ledger + "/state/" + "abcd".charAt(i));
      assertThat(answers.get(i)).isEqualTo(verified(ledger, one));
      for (String field : one.propertyNames()) {
        if (!List.of("head", "proof").contains(field)) {
          assertThat(shown.get(field)).as(field).isEqualTo(one.get(field));
        }
      }
      assertThat(shown.size()).isEqualTo(one.size() - 2);
    }
    ObjectNode older = lookup("keys", List.of("YQ==", "Yg=="));
    older.put("asOf", height).put("proof", false).put("values", false);
    JsonNode before = post(path, older);
    assertThat(before.has("proof")).isFalse();
    assertThat(before.get("states").get(1).get("state").stringValue()).isEqualTo("present");
    assertThat(before.get("states").get(1).get("entry").has("value")).isFalse();
    JsonNode alone = post(path, lookup("keyTexts", List.of("a")));
    assertThat(alone.get("proof")).isEqualTo(get(ledger + "/state/a").get("proof"));
  }

  @Test
  void aValueThatNoRequestHoldsIsTooLarge() throws Exception {
    ObjectNode large = wish(put("a", "v".repeat(Limits.REQUEST_BYTES_MAX + 1)));
    large.putArray("signers").add(OWNER.publicKey().kid().hex());
    Answer answer = rest.post(rest.foundWithState("too large", OWNER) + "/journals:prepare", large);
    assertThat(assertProblem(answer, 413, "too_large").get("limit").intValue())
        .isEqualTo(Limits.REQUEST_BYTES_MAX);
  }

  private static Bytes utf8(String text) {
    return Bytes.utf8(text);
  }

  @Test
  void severalKeysThatAreWrongAreAProblem() throws Exception {
    String path = refusals + "/state:lookup";
    Answer twice = rest.post(path, lookup("keyTexts", List.of("a", "b", "a")));
    assertThat(assertProblem(twice, 422, "operation_invalid").get("index").intValue()).isEqualTo(2);
    List<String> many = IntStream.rangeClosed(0, 1000).mapToObj(i -> "key " + i).toList();
    JsonNode tooMany =
        assertProblem(rest.post(path, lookup("keyTexts", many)), 422, "operation_invalid");
    assertThat(tooMany.get("limit").longValue()).isEqualTo(1000);
    assertProblem(rest.post(path, lookup("keyTexts", List.of())), 422, "operation_invalid");
    assertProblem(rest.post(path, MAPPER.createObjectNode()), 400, "malformed");
    assertProblem(rest.post(path, lookup("keys", List.of("x"))), 400, "malformed");
    JsonNode beyond =
        assertProblem(
            rest.post(path, lookup("keys", Collections.nCopies(200_001, ""))), 400, "malformed");
    assertThat(beyond.get("detail").stringValue()).contains("over 200000 tokens of JSON");
    ObjectNode both = lookup("keys", List.of("YQ=="));
    both.putArray("keyTexts").add("a");
    assertProblem(rest.post(path, both), 400, "malformed");
    ObjectNode late = lookup("keyTexts", List.of("a", "b"));
    assertProblem(rest.post(path, late.deepCopy().put("asOf", 99)), 404, "out_of_range");
    assertProblem(rest.post(path, late.deepCopy().put("asOf", "1")), 400, "malformed");
    assertProblem(rest.post(path, late.put("height", 1)), 400, "malformed");
  }

  @Test
  void aKeyIsReadAtATime() throws Exception {
    String ledger = rest.foundWithState("times", OWNER);
    write(ledger, put("a", "1"));
    JsonNode first = get(ledger + "/blocks/latest");
    long firstMs = first.get("timeMs").longValue();
    long second = firstMs;
    while (second == firstMs) {
      write(ledger, put("a", "2"));
      second = get(ledger + "/blocks/latest").get("timeMs").longValue();
    }
    JsonNode then = get(ledger + "/state/a?atTime=" + (second - 1));
    assertThat(then.get("final").booleanValue()).isTrue();
    assertThat(value(ledger, then)).isNotEmpty();
    assertThat(then.get("head").get("timeMs").longValue()).isLessThan(second);
    assertThat(then.get("next").get("timeMs").longValue()).isEqualTo(second);
    JsonNode now = get(ledger + "/state/a?atTime=" + second);
    assertThat(now.get("final").booleanValue()).isFalse();
    assertThat(now.has("next")).isFalse();
    assertThat(value(ledger, now)).isEqualTo("2");
    JsonNode page = get(ledger + "/state?atTime=" + (second - 1));
    assertThat(page.get("final").booleanValue()).isTrue();
    assertThat(page.get("head")).isEqualTo(then.get("head"));
    assertThat(get(ledger + "/state/a").has("final")).isFalse();

    long genesisMs = get(ledger + "/blocks/0").get("timeMs").longValue();
    JsonNode early =
        assertProblem(
            rest.get(ledger + "/state/a?atTime=" + (genesisMs - 1)), 422, "time_out_of_range");
    assertThat(early.get("limit").longValue()).isEqualTo(genesisMs);
    assertThat(early.get("detail").stringValue())
        .contains(Instant.ofEpochMilli(genesisMs).toString())
        .contains("the service's time");
    JsonNode late =
        assertProblem(
            rest.get(ledger + "/state?atTime=9000000000000000000"), 422, "time_out_of_range");
    assertThat(late.get("limit").longValue()).isGreaterThanOrEqualTo(second);
  }

  private static JsonNode assertProblem(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).as(answer.text()).isEqualTo(code);
    return answer.json();
  }

  @ParameterizedTest
  @CsvSource({
    "state/a?asOf=99, 404, out_of_range",
    "state/a?asOf=x, 400, malformed",
    "state/a?asOf=1&atTime=1, 400, malformed",
    "state?cursor=AAAA&atTime=1, 400, malformed",
    "state/a?keys=base64, 400, malformed",
    "state/xyz?keys=hex, 400, malformed",
    "state?keys=base64, 400, malformed",
    "state/a?unknown=1, 400, malformed",
    "state?from=b&to=a, 400, malformed",
    "state?from=a&to=a, 400, malformed",
    "state?limit=1001, 413, too_large",
    "state?cursor=AAAA, 400, malformed",
    "state/a/history?limit=x, 400, malformed",
    "state/a/history?asOf=99, 404, out_of_range",
    "state/a/history?cursor=AAAA, 400, malformed",
  })
  void aWrongReadIsAProblem(String path, int status, String code) throws Exception {
    assertProblem(rest.get(refusals + "/" + path), status, code);
  }

  @Test
  void aKeyThatIsTooLongIsRefusedWithTheLimit() throws Exception {
    JsonNode problem =
        assertProblem(rest.get(refusals + "/state/" + "a".repeat(257)), 422, "operation_invalid");
    assertThat(problem.get("limit").longValue()).isEqualTo(256);
  }

  private static Answer prepare(ObjectNode... operations) throws Exception {
    ObjectNode wish = wish(operations);
    wish.putArray("signers").add(OWNER.publicKey().kid().hex());
    return rest.post(refusals + "/journals:prepare", wish);
  }

  @Test
  void anOperationThatBreaksARuleIsNamed() throws Exception {
    JsonNode twice = assertProblem(prepare(put("a", ""), delete("a")), 422, "operation_invalid");
    assertThat(twice.get("detail").stringValue()).contains("operation 1");
    assertProblem(prepare(delete("")), 422, "operation_invalid");
    ObjectNode[] many = new ObjectNode[10_001];
    Arrays.setAll(many, i -> delete("key " + i));
    JsonNode tooMany = assertProblem(prepare(many), 422, "operation_invalid");
    assertThat(tooMany.get("limit").longValue()).isEqualTo(10_000);
    assertProblem(prepare(put("k".repeat(257), "")), 422, "operation_invalid");
    ObjectNode both = put("a", "1");
    both.put("ifAbsent", true).put("ifVersion", 2);
    assertProblem(prepare(both), 400, "malformed");
    assertProblem(prepare(put("a", "1").put("value", "")), 400, "malformed");
    assertProblem(prepare(delete("a").put("valueText", "1")), 400, "malformed");
    assertProblem(prepare(put("a", "1").put("op", "get")), 400, "malformed");
  }

  @Test
  void aPreconditionThatDoesNotHoldWritesNothing() throws Exception {
    String ledger = rest.foundWithState("preconditions", OWNER);
    long jsn = write(ledger, put("a", "1"));
    long size = get(ledger).get("size").longValue();
    ObjectNode absent = put("a", "2");
    absent.put("ifAbsent", true);
    ObjectNode request =
        rest.signed(ledger + "/journals:prepare", wish(put("b", "1"), absent), OWNER);
    JsonNode problem =
        assertProblem(rest.post(ledger + "/journals", request), 409, "precondition_failed");
    assertThat(problem.get("jsn").longValue()).isEqualTo(jsn);
    assertThat(problem.get("operation").intValue()).isEqualTo(1);
    assertThat(problem.get("key").stringValue()).isEqualTo("YQ==");
    assertThat(problem.get("keyText").stringValue()).isEqualTo("a");
    assertThat(get(ledger).get("size").longValue()).isEqualTo(size);
    assertThat(value(ledger, get(ledger + "/state/a"))).isEqualTo("1");
  }

  @Test
  void aLedgerWithoutAStateSaysSo() throws Exception {
    String without = rest.found("without", OWNER);
    assertProblem(rest.get(without + "/state/a"), 422, "feature_not_enabled");
    ObjectNode wish = wish(put("a", "1"));
    wish.putArray("signers").add(OWNER.publicKey().kid().hex());
    assertProblem(rest.post(without + "/journals:prepare", wish), 422, "feature_not_enabled");
  }
}
