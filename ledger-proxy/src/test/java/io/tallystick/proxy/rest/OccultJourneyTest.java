package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.BodyState;
import io.tallystick.api.v1.Erasure;
import io.tallystick.api.v1.GetErasureRequest;
import io.tallystick.api.v1.GetJournalRequest;
import io.tallystick.api.v1.JournalEntry;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Attestation;
import io.tallystick.journal.ErasureTarget;
import io.tallystick.journal.Extension;
import io.tallystick.journal.JournalLeaf;
import io.tallystick.journal.Leaf;
import io.tallystick.journal.RequestHeader;
import io.tallystick.merkle.TreeHasher;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.receipt.ReceiptFile;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: who has JSON and a signature library has bodies erased by an owner and a regulator, and
/// every reader learns by whom. Method: a real service over HTTP and gRPC.
class OccultJourneyTest {
  private static final String BASIS = "GDPR Art. 17";
  private static final String SECRET = "Ada lives at 1 Fleet St";

  @TempDir private Path data;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer rex = RestService.key(SignatureAlgorithm.ES256);

  private static JsonNode ok(Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static void refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
  }

  /// A ledger of Ada's with Rex as its regulator, at jsn 1; jsn 2 is a seal.
  private String found(RestService rest) throws Exception {
    String ledger = rest.found("forgetful", true, ada);
    ObjectNode wish =
        MAPPER
            .createObjectNode()
            .put("action", "add")
            .put("role", "regulator")
            .put("spki", base64(rex.publicKey()));
    ObjectNode request = rest.signed(ledger + "/members:prepare", wish, ada);
    assertThat(rest.post(ledger + "/members", request).status()).isEqualTo(201);
    return ledger;
  }

  private static ObjectNode occult(RestService rest, String ledger, long... jsns) throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "occult").put("basis", BASIS);
    var journals = wish.putArray("journals");
    for (long jsn : jsns) {
      JsonNode hash = ok(rest.get(ledger + "/journals/" + jsn)).get("leafHash");
      journals.addObject().put("jsn", jsn).set("leafHash", hash);
    }
    return wish;
  }

  @Test
  void anOwnerAndARegulatorEraseABodyThroughAKeptProposal() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = found(rest);
      long jsn = rest.append(ledger, SECRET, List.of("ada"), ada);
      Answer read = rest.get(ledger + "/journals/" + jsn);
      assertThat(read.header("Cache-Control")).isEqualTo("no-store");
      assertThat(rest.get(ledger + "/journals").header("Cache-Control")).isEqualTo("no-store");
      JsonNode before = ok(read);
      refused(rest.get(ledger + "/journals/" + jsn + "/erasure"), 404, "out_of_range");
      ObjectNode asked = rest.signed(ledger + "/journals:prepare", occult(rest, ledger, jsn), ada);
      refused(rest.post(ledger + "/journals", asked), 403, "signatures_missing");
      asked.remove("body");
      JsonNode kept = ok(rest.post(ledger + "/proposals", asked));
      assertThat(kept.get("policy").stringValue()).isEqualTo("ownerAndRegulator");
      assertThat(kept.get("missing")).hasSize(1);
      assertThat(kept.get("missing").get(0).get("role").stringValue()).isEqualTo("regulator");
      String path = ledger + "/proposals/" + kept.get("requestHash").stringValue();
      JsonNode toSign = ok(rest.get(path)).get("toSign");
      JsonNode done = ok(rest.post(path + "/signatures", RestService.sign(toSign, rex).get(0)));
      assertThat(done.get("status").stringValue()).isEqualTo("committed");

      readAsErased(rest, ledger, before, done.get("jsn").longValue());
      refused(
          rest.post(
              ledger + "/journals",
              rest.signed(ledger + "/journals:prepare", again(before), ada, rex)),
          409,
          "already_occulted");
    }
  }

  /// The same journal once more.
  private static ObjectNode again(JsonNode before) {
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "occult");
    wish.putArray("journals")
        .addObject()
        .put("jsn", before.get("jsn").longValue())
        .set("leafHash", before.get("leafHash"));
    return wish;
  }

  private static void readAsErased(RestService rest, String ledger, JsonNode before, long removal)
      throws Exception {
    String path = ledger + "/journals/" + before.get("jsn").longValue();
    Answer problem = rest.get(path);
    refused(problem, 451, "erased");
    assertThat(problem.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(problem.header("Cache-Control")).isEqualTo("no-store");
    assertThat(problem.json().get("jsn").longValue()).isEqualTo(removal);
    checkEvidence(problem.json(), before);
    JsonNode erasure = ok(rest.get(path + "/erasure"));
    for (String member : List.of("jsn", "receipt", "attestation")) {
      assertThat(erasure.get(member)).isEqualTo(problem.json().get(member));
    }
    Waiting.until("it is erased", () -> ok(rest.get(path + "/erasure")).has("doneMs"));
    erasure = ok(rest.get(path + "/erasure"));
    assertThat(erasure.get("doneMs").longValue()).isPositive();
    assertThat(rest.get(path).json().get("doneMs")).isEqualTo(erasure.get("doneMs"));

    JsonNode listed =
        ok(rest.get(ledger + "/journals?from=" + before.get("jsn").longValue() + "&limit=1"))
            .get("journals")
            .get(0);
    assertThat(listed.get("bodyState").stringValue()).isEqualTo("erased");
    assertThat(listed.get("leaf")).isEqualTo(before.get("leaf"));
    assertThat(listed.has("body")).isFalse();
    assertThat(listed.has("salt")).isFalse();
    JsonNode lineage = ok(rest.get(ledger + "/lineage?clue=ada"));
    assertThat(lineage.get("journals").get(0).get("bodyState").stringValue()).isEqualTo("erased");
    assertThat(ok(rest.get(path + "/receipt")).get("leaf")).isEqualTo(before.get("leaf"));
    noFileHasIt(rest, ledger, before.get("jsn").longValue());
    overGrpc(rest, ledger, before, erasure);
  }

  private static void checkEvidence(JsonNode shown, JsonNode before) throws Exception {
    ReceiptFile receipt = ReceiptFile.decode(Bytes.wrap(RestService.bytes(shown.get("receipt"))));
    JournalLeaf leaf = (JournalLeaf) Leaf.decode(receipt.leaf());
    assertThat(leaf.jsn().value()).isEqualTo(shown.get("jsn").longValue());
    Bytes attestation = Bytes.wrap(RestService.bytes(shown.get("attestation")));
    assertThat(Attestation.hash(attestation)).isEqualTo(leaf.attestHash());
    Extension.Occult said = (Extension.Occult) RequestHeader.decode(leaf.header()).extension();
    assertThat(said.basis()).isEqualTo(BASIS);
    ErasureTarget.Journals target = (ErasureTarget.Journals) said.target();
    assertThat(target.named().getFirst().leafHash())
        .isEqualTo(TreeHasher.leafHash(Bytes.wrap(RestService.bytes(before.get("leaf")))));
  }

  /// Whoever reads through a cache must not get it from there either.
  private static void noFileHasIt(RestService rest, String ledger, long jsn) throws Exception {
    String id = ledger.substring(ledger.lastIndexOf('/') + 1);
    Answer file = rest.get("/l/" + id + "/0/bodies/000.p/" + (jsn + 1));
    assertThat(file.status()).isEqualTo(200);
    assertThat(file.header("Cache-Control")).isEqualTo("no-store");
    assertThat(file.text()).doesNotContain(SECRET);
  }

  private static void overGrpc(RestService rest, String ledger, JsonNode before, JsonNode erasure)
      throws Exception {
    LedgerId id = LedgerId.fromHex(ledger.substring(ledger.lastIndexOf('/') + 1));
    ByteString bytes = ByteString.copyFrom(id.digest().toArray());
    long jsn = before.get("jsn").longValue();
    ManagedChannel channel = NettyChannelBuilder.forTarget(rest.target()).usePlaintext().build();
    try {
      var journals = JournalServiceGrpc.newBlockingStub(channel);
      JournalEntry entry =
          journals.getJournal(
              GetJournalRequest.newBuilder().setLedgerId(bytes).setJsn(jsn).build());
      assertThat(entry.getBodyState()).isEqualTo(BodyState.BODY_ERASED);
      assertThat(entry.getBody().isEmpty() && entry.getSalt().isEmpty()).isTrue();
      assertThat(entry.getLeaf().toByteArray()).isEqualTo(RestService.bytes(before.get("leaf")));
      Erasure told =
          journals.getErasure(
              GetErasureRequest.newBuilder().setLedgerId(bytes).setJsn(jsn).build());
      assertThat(told.getRemovalJsn()).isEqualTo(erasure.get("jsn").longValue());
      assertThat(told.getReceiptFile().toByteArray())
          .isEqualTo(RestService.bytes(erasure.get("receipt")));
      assertThat(told.getAttestation().toByteArray())
          .isEqualTo(RestService.bytes(erasure.get("attestation")));
      assertThat(told.getDoneMs()).isEqualTo(erasure.get("doneMs").longValue());
    } finally {
      channel.shutdownNow();
      assertThat(channel.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void allJournalsOfAClueAreErasedTogether() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = found(rest);
      long first = rest.append(ledger, SECRET, List.of("ada"), ada);
      long other = rest.append(ledger, "of someone else", List.of("bo"), ada);
      long last = rest.append(ledger, SECRET + " no more", List.of("ada"), ada);
      ObjectNode wish =
          MAPPER
              .createObjectNode()
              .put("kind", "occult")
              .put("clue", "ada")
              .put("firstJsn", 0)
              .put("lastJsn", last);
      ObjectNode request = rest.signed(ledger + "/journals:prepare", wish, ada, rex);
      assertThat(rest.post(ledger + "/journals", request).status()).isEqualTo(201);
      for (long jsn : List.of(first, last)) {
        refused(rest.get(ledger + "/journals/" + jsn), 451, "erased");
      }
      ok(rest.get(ledger + "/journals/" + other));
    }
  }

  @Test
  void whatIsNoTargetIsRefused() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = found(rest);
      long jsn = rest.append(ledger, SECRET, List.of("ada"), ada);
      ObjectNode governance = occult(rest, ledger, 1);
      ObjectNode request = rest.signed(ledger + "/journals:prepare", governance, ada, rex);
      refused(rest.post(ledger + "/journals", request), 422, "target_invalid");
      ObjectNode both = occult(rest, ledger, jsn).put("clue", "ada");
      both.putArray("signers").add(ada.publicKey().kid().hex());
      refused(rest.post(ledger + "/journals:prepare", both), 400, "malformed");
      ObjectNode halfRange =
          MAPPER.createObjectNode().put("kind", "occult").put("clue", "ada").put("firstJsn", 0);
      halfRange.putArray("signers").add(ada.publicKey().kid().hex());
      refused(rest.post(ledger + "/journals:prepare", halfRange), 400, "malformed");
      ObjectNode wordy = occult(rest, ledger, jsn).put("basis", "x".repeat(129));
      wordy.putArray("signers").add(ada.publicKey().kid().hex());
      refused(rest.post(ledger + "/journals:prepare", wordy), 400, "malformed");
      ok(rest.get(ledger + "/journals/" + jsn));
    }
  }
}
