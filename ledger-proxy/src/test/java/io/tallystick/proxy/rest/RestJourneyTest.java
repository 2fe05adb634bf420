package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static io.tallystick.proxy.rest.RestService.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cbor.CborReader;
import io.tallystick.cbor.CborWriter;
import io.tallystick.cose.BatchMemberProof;
import io.tallystick.cose.BatchProtected;
import io.tallystick.cose.CoseSign1;
import io.tallystick.cose.RequestProtected;
import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.evidence.KeyChain;
import io.tallystick.head.ServiceKeys;
import io.tallystick.head.SignedHead;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.BatchRoot;
import io.tallystick.merkle.ConsistencyProof;
import io.tallystick.merkle.InclusionProof;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.receipt.Receipt;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: everything a ledger does can be done and checked over REST. Method: the real application,
/// a client of JSON and signatures only, and core's verifiers on what it got.
class RestJourneyTest {
  private static final Signatures SIGNATURES = SignatureProviders.best();

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

  private static StrandId strand(String ledger) {
    return new StrandId(LedgerId.fromHex(ledger.substring("/v1/ledgers/".length())), 0);
  }

  private static ServiceKeys keys() throws Exception {
    JsonNode service = rest.get("/v1/service").json();
    return new ServiceKeys(
        new Authority(service.get("authority").stringValue()),
        PublicKey.ofSpki(Bytes.wrap(bytes(service.get("noteKey")))),
        PublicKey.ofSpki(Bytes.wrap(bytes(service.get("receiptKey")))));
  }

  private static SignedHead verify(String ledger, JsonNode appended) throws Exception {
    Receipt receipt = Receipt.decode(Bytes.wrap(bytes(appended.get("receipt"))));
    assertThat(receipt.proof().index()).isEqualTo(appended.get("jsn").longValue());
    return receipt.verify(
        Bytes.wrap(bytes(appended.get("leaf"))), strand(ledger), keys(), SIGNATURES);
  }

  @Test
  void aClientOfJsonAndSignaturesAppendsAndHoldsAStandardReceipt() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("invoices", owner);
    ObjectNode request = rest.prepared(ledger, "invoice 1", owner);

    Answer first = rest.post(ledger + "/journals", request);
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(first.header("Location")).isEqualTo(ledger + "/journals/2");
    JsonNode appended = first.json();
    assertThat(appended.get("repeated").booleanValue()).isFalse();
    assertThat(verify(ledger, appended).size().value()).isEqualTo(4);

    Answer again = rest.post(ledger + "/journals", request);
    assertThat(again.status()).isEqualTo(200);
    ObjectNode repeated = ((ObjectNode) appended.deepCopy()).put("repeated", true);
    assertThat(again.json()).isEqualTo(repeated);

    JsonNode journal = rest.get(first.header("Location")).json();
    assertThat(journal.get("leaf")).isEqualTo(appended.get("leaf"));
    JsonNode content = journal.get("content");
    assertThat(bytes(content.get("payload"))).asString().isEqualTo("invoice 1");
    assertThat(content.get("contentType").stringValue()).isEqualTo("text/plain");
    assertThat(content.get("signers").get(0).stringValue())
        .isEqualTo(owner.publicKey().kid().hex());
  }

  @Test
  void ledgersOfSeveralOwnersAndKeyTypesAreFoundedListedAndFoundAgain() throws Exception {
    Signer first = RestService.key(SignatureAlgorithm.ED25519);
    Signer second = RestService.key(SignatureAlgorithm.ES256);
    Set<String> founded = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      founded.add(rest.found("shared " + i, first, second));
    }
    Set<String> listed = new HashSet<>();
    String cursor = "";
    for (int pages = 0; pages < 100; pages++) {
      JsonNode page = rest.get("/v1/ledgers?limit=2" + cursor).json();
      page.get("ledgers")
          .forEach(row -> listed.add("/v1/ledgers/" + row.get("ledgerId").stringValue()));
      if (!page.has("cursor")) {
        break;
      }
      cursor = "&cursor=" + page.get("cursor").stringValue();
    }
    assertThat(listed).containsAll(founded);
    JsonNode one = rest.get(founded.iterator().next()).json();
    assertThat(one.get("checkpoint").stringValue())
        .startsWith(one.get("origin").stringValue() + "\n2\n");
  }

  @Test
  void membersAreAddedAndRevokedAndOnlyThenMayAndMayNotSign() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    Signer clerk = RestService.key(SignatureAlgorithm.ES256);
    String ledger = rest.found("staff", owner);
    ObjectNode add =
        MAPPER
            .createObjectNode()
            .put("action", "add")
            .put("role", "normal")
            .put("spki", base64(clerk.publicKey()));
    Answer added =
        rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", add, owner));
    assertThat(added.status()).as(added.text()).isEqualTo(201);
    assertThat(
            rest.post(ledger + "/journals", rest.prepared(ledger, "by the clerk", clerk)).status())
        .isEqualTo(201);

    ObjectNode revoke =
        MAPPER.createObjectNode().put("action", "revoke").put("kid", clerk.publicKey().kid().hex());
    rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", revoke, owner));
    Answer refused = rest.post(ledger + "/journals", rest.prepared(ledger, "too late", clerk));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.json().get("code").stringValue()).isEqualTo("revoked_key");

    JsonNode members = rest.get(ledger + "/members").json().get("members");
    assertThat(members.size()).isEqualTo(2);
    for (JsonNode member : members) {
      boolean isClerk = member.get("kid").stringValue().equals(clerk.publicKey().kid().hex());
      assertThat(member.get("role").stringValue()).isEqualTo(isClerk ? "normal" : "owner");
      assertThat(member.has("revokedJsn")).isEqualTo(isClerk);
    }
  }

  @Test
  void aRequestTravelsAsOneCoseMessageAndIsAnsweredWithItsReceipt() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("cose", owner);
    ObjectNode request = rest.prepared(ledger, "one message", owner);
    byte[] message = coseRequest(strand(ledger), owner, request);
    Answer answer =
        rest.post(ledger + "/journals", "application/cose", message, "Accept", "application/cose");
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(answer.header("Content-Type")).isEqualTo("application/cose");
    assertThat(answer.response().body())
        .isEqualTo(
            rest.get(ledger + "/journals/2/receipt", "Accept", "application/cose")
                .response()
                .body());
    // The signed form is what went into the log: the same signature as JSON is a repeat.
    assertThat(rest.post(ledger + "/journals", request).json().get("jsn").longValue()).isEqualTo(2);
    assertThat(
            rest.post(
                    ledger + "/journals", "application/cose", message, "Accept", "application/json")
                .json()
                .get("repeated"))
        .isEqualTo(MAPPER.getNodeFactory().booleanNode(true));
  }

  static byte[] coseRequest(StrandId strand, Signer signer, JsonNode request) {
    PublicKey key = signer.publicKey();
    Bytes header = Bytes.wrap(bytes(request.get("header")));
    CborWriter out = new CborWriter(1024);
    out.tag(18).array(4);
    out.bytes(new RequestProtected(key.algorithm(), key.kid(), strand).encode());
    out.map(1).integer(-70003).array(3).bytes(header);
    out.bytes(Bytes.wrap(bytes(request.get("salt"))));
    out.bytes(Bytes.wrap(bytes(request.get("body"))));
    out.bytes(RequestHeader.hash(header).toBytes());
    out.bytes(Bytes.wrap(bytes(request.get("signatures").get(0).get("signature"))));
    return out.toBytes().toArray();
  }

  @Test
  void aBatchIsAppendedWholeUnderOneSignature() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("batches", owner);
    ObjectNode batch = batch(ledger, owner, 5);
    Answer answer = rest.post(ledger + "/journals:batch", batch);
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    JsonNode committed = answer.json();
    assertThat(committed.get("firstJsn").longValue()).isEqualTo(2);
    assertThat(committed.get("count").intValue()).isEqualTo(5);
    assertThat(rest.post(ledger + "/journals:batch", batch).status()).isEqualTo(200);
    JsonNode member = rest.get(ledger + "/journals/4").json();
    assertThat(member.get("content").get("batchIndex").intValue()).isEqualTo(2);
    Bytes attestation = Bytes.wrap(bytes(member.get("attestation")));
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(Bytes.wrap(bytes(member.get("leaf"))));
    InclusionProof at =
        BatchMemberProof.verify(
            Attestation.decode(attestation)
                .signatures()
                .getFirst()
                .withInclusionProof(Bytes.wrap(bytes(member.get("batchProof")))),
            strand(ledger),
            RequestHeader.hash(leaf.header()),
            owner.publicKey(),
            SIGNATURES);
    assertThat(at.index()).isEqualTo(2);
    assertThat(at.size()).isEqualTo(5);
    verify(ledger, rest.get(ledger + "/journals/4/receipt").json());
  }

  private static ObjectNode batch(String ledger, Signer owner, int count) throws Exception {
    ObjectNode batch = MAPPER.createObjectNode();
    ArrayNode requests = batch.putArray("requests");
    List<Digest> hashes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ObjectNode request = rest.prepared(ledger, "line " + i, owner);
      request.remove("signatures");
      requests.add(request);
      hashes.add(RequestHeader.hash(Bytes.wrap(bytes(request.get("header")))));
    }
    PublicKey key = owner.publicKey();
    CoseSign1 signed =
        CoseSign1.detached(
            owner,
            new BatchProtected(key.algorithm(), key.kid(), strand(ledger), count),
            BatchRoot.over(hashes).digest().toBytes());
    batch
        .putArray("signatures")
        .addObject()
        .put("kid", key.kid().hex())
        .put("signature", base64(signed.signature().toArray()));
    return batch;
  }

  @Test
  void aDeferredAppendPromisesAndItsReceiptIsReadLater() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("later", owner);
    ObjectNode request = rest.prepared(ledger, "soon", owner).put("mode", "deferred");
    Answer answer = rest.post(ledger + "/journals", request);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.json().has("receipt")).isFalse();
    request.remove("mode");
    verify(ledger, rest.post(ledger + "/journals", request).json());
  }

  @Test
  void allPagesOfAWalkAreCutFromTheTreeOfTheFirst() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("pages", owner);
    rest.post(ledger + "/journals:batch", batch(ledger, owner, 6));
    JsonNode page = rest.get(ledger + "/journals?from=1&limit=3").json();
    long size = page.get("size").longValue();
    assertThat(size).isEqualTo(9);
    List<Long> seen = new ArrayList<>();
    for (int pages = 0; pages < 10; pages++) {
      page.get("journals").forEach(journal -> seen.add(journal.get("jsn").longValue()));
      assertThat(page.get("size").longValue()).isEqualTo(size);
      if (!page.has("cursor")) {
        break;
      }
      rest.post(ledger + "/journals", rest.prepared(ledger, "meanwhile", owner));
      page =
          rest.get(ledger + "/journals?limit=3&cursor=" + page.get("cursor").stringValue()).json();
    }
    assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);

    String other = rest.found("other", owner);
    String cursor = rest.get(ledger + "/journals?limit=1").json().get("cursor").stringValue();
    assertThat(rest.get(other + "/journals?cursor=" + cursor).status()).isEqualTo(400);
    String forged = (cursor.charAt(0) == 'A' ? "B" : "A") + cursor.substring(1);
    assertThat(rest.get(ledger + "/journals?cursor=" + forged).status()).isEqualTo(400);
  }

  @Test
  void proofsBlocksAndCheckpointsFitTogether() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("proofs", owner);
    for (int i = 0; i < 3; i++) {
      rest.post(ledger + "/journals", rest.prepared(ledger, "journal " + i, owner));
    }
    JsonNode latest = rest.get(ledger + "/blocks/latest").json();
    JsonNode first = rest.get(ledger + "/blocks/0").json();
    long size = latest.get("size").longValue();
    JournalRoot root = root(latest);

    JsonNode proof = rest.get(ledger + "/journals/2/proof?size=" + size).json();
    new InclusionProof(2, size, path(proof))
        .verify(Digest.fromHex(proof.get("leafHash").stringValue()), root);

    JsonNode consistency =
        rest.get(ledger + "/consistency?from=" + first.get("size").longValue() + "&to=" + size)
            .json();
    new ConsistencyProof(first.get("size").longValue(), size, path(consistency))
        .verify(root(first), root);

    Answer keyChain = rest.get(ledger + "/key-chain");
    assertThat(keyChain.header("Content-Type")).isEqualTo("application/cbor");
    assertThat(Bytes.copyOf(keyChain.response().body())).isEqualTo(KeyChain.EMPTY.encode());

    Answer checkpoint = rest.get(ledger + "/checkpoint");
    assertThat(checkpoint.header("Content-Type")).startsWith("text/plain");
    assertThat(checkpoint.text().lines().skip(1).findFirst()).contains(String.valueOf(size));
  }

  private static JournalRoot root(JsonNode block) {
    return new JournalRoot(Digest.fromHex(block.get("root").stringValue()));
  }

  private static List<Digest> path(JsonNode proof) {
    List<Digest> path = new ArrayList<>();
    proof.get("path").forEach(hash -> path.add(Digest.fromHex(hash.stringValue())));
    return path;
  }

  @Test
  void theServiceVerifiesAReceiptAndSaysNoToATamperedOne() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("verified", owner);
    JsonNode appended =
        rest.post(ledger + "/journals", rest.prepared(ledger, "true", owner)).json();
    ObjectNode evidence = MAPPER.createObjectNode();
    evidence.set("leaf", appended.get("leaf"));
    evidence.set("receipt", appended.get("receipt"));
    JsonNode good = rest.post(ledger + ":verify", evidence).json();
    assertThat(good.get("verified").booleanValue()).as(good.toString()).isTrue();
    assertThat(good.get("jsn").longValue()).isEqualTo(2);

    byte[] leaf = bytes(appended.get("leaf"));
    leaf[leaf.length - 60] ^= 1;
    JsonNode bad = rest.post(ledger + ":verify", evidence.put("leaf", base64(leaf))).json();
    assertThat(bad.get("verified").booleanValue()).isFalse();
    assertThat(bad.get("reason").stringValue()).isNotEmpty();
    assertThat(bad.has("root")).isFalse();
  }

  /// The evidence of a rollback must not be lost in a "not found", nor that of a fork be called
  /// good.
  @Test
  void aGoodReceiptThatContradictsTheLogIsSaidTo(@TempDir Path folder) throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    Path first = folder.resolve("first");
    Path backup = folder.resolve("backup");
    String ledger;
    try (RestService service = new RestService(first)) {
      ledger = service.found("set back", owner);
    }
    copy(first, backup);
    ObjectNode evidence = MAPPER.createObjectNode();
    try (RestService service = new RestService(first)) {
      JsonNode appended =
          service.post(ledger + "/journals", service.prepared(ledger, "lost", owner)).json();
      evidence.set("leaf", appended.get("leaf"));
      evidence.set("receipt", appended.get("receipt"));
    }
    try (RestService service = new RestService(backup)) {
      assertThat(service.post(ledger + ":verify", evidence).json().get("reason").stringValue())
          .isEqualTo("log_contradicts");
      service.post(ledger + "/journals", service.prepared(ledger, "instead", owner));
      JsonNode forked = service.post(ledger + ":verify", evidence).json();
      assertThat(forked.get("verified").booleanValue()).isFalse();
      assertThat(forked.get("reason").stringValue()).isEqualTo("log_contradicts");
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  /// An answer in chunks takes two writes, and its reader two reads.
  @Test
  void anAnswerSaysHowLongItIs() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("measured in bytes", owner);
    List<RestService.Answer> answers =
        List.of(
            rest.post(ledger + "/journals", rest.prepared(ledger, "x", owner)),
            rest.get(ledger + "/journals/2"),
            rest.get(ledger + "/checkpoint"),
            rest.get(ledger + "/journals/99"));
    for (RestService.Answer answer : answers) {
      assertThat(answer.header("Content-Length"))
          .isEqualTo(String.valueOf(answer.response().body().length));
      assertThat(answer.header("Transfer-Encoding")).isEmpty();
    }
  }

  @Test
  void healthAndMetricsAreServed() throws Exception {
    assertThat(rest.get("/actuator/health/readiness").json().get("status").stringValue())
        .isEqualTo("UP");
    assertThat(rest.get("/actuator/health/liveness").status()).isEqualTo(200);
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    rest.found("measured", owner);
    assertThat(rest.get("/actuator/prometheus").text())
        .contains("ledger_refusals_total", "ledger_append_seconds");
  }

  @Test
  void theBytesToSignAreTheSigStructureOfTheRequest() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    String ledger = rest.found("checked", owner);
    ObjectNode wish =
        MAPPER.createObjectNode().put("payload", base64("x".getBytes(StandardCharsets.UTF_8)));
    wish.putArray("signers").add(owner.publicKey().kid().hex());
    JsonNode prepared = rest.post(ledger + "/journals:prepare", wish).json();
    CborReader in = new CborReader(Bytes.wrap(bytes(prepared.get("toSign").get(0).get("bytes"))));
    in.array("Sig_structure", 4);
    assertThat(in.text()).isEqualTo("Signature1");
    in.bytes("protected", 1024);
    in.bytes("external_aad", 0);
    assertThat(Digest.of(in.bytes("payload", 32)))
        .isEqualTo(RequestHeader.hash(Bytes.wrap(bytes(prepared.get("header")))));
    in.end();
  }
}
