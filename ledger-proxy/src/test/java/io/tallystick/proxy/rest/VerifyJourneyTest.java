package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.Verdict;
import io.tallystick.api.v1.VerifyRequest;
import io.tallystick.cbor.CborWriter;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.journal.Commitments;
import io.tallystick.model.LedgerId;
import io.tallystick.proxy.rest.RestService.Answer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: the service judges a journal or a clue that is named, with or without data, names the head
/// that it judged under, and says that its word proves nothing. Method: a real service over HTTP
/// and gRPC, whose verdicts are the same.
class VerifyJourneyTest {
  private static final Signer ADA = RestService.key(SignatureAlgorithm.ED25519);
  private static final Signer REX = RestService.key(SignatureAlgorithm.ES256);
  private static final String TEXT = "contract 7";

  @TempDir private static Path data;
  private static RestService rest;
  private static ManagedChannel channel;
  private static String ledger = "";
  private static LedgerId id;
  private static long first;
  private static long second;
  private static long erased;
  private static long occult;

  @BeforeAll
  static void fill() throws Exception {
    rest = new RestService(data);
    channel = NettyChannelBuilder.forTarget(rest.target()).usePlaintext().build();
    ledger = rest.found("judged", true, ADA);
    id = LedgerId.fromHex(ledger.substring(ledger.lastIndexOf('/') + 1));
    first = rest.append(ledger, TEXT, List.of("deal"), ADA);
    second = rest.append(ledger, "contract 8", List.of("deal"), ADA);
    ObjectNode regulator =
        MAPPER
            .createObjectNode()
            .put("action", "add")
            .put("role", "regulator")
            .put("spki", base64(REX.publicKey()));
    ObjectNode added = rest.signed(ledger + "/members:prepare", regulator, ADA);
    assertThat(rest.post(ledger + "/members", added).status()).isEqualTo(201);
    erased = rest.append(ledger, TEXT, List.of("deal"), ADA);
    ObjectNode wish = MAPPER.createObjectNode().put("kind", "occult");
    wish.putArray("journals")
        .addObject()
        .put("jsn", erased)
        .set("leafHash", rest.get(ledger + "/journals/" + erased).json().get("leafHash"));
    ObjectNode signed = rest.signed(ledger + "/journals:prepare", wish, ADA, REX);
    occult = rest.post(ledger + "/journals", signed).json().get("jsn").longValue();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    rest.close();
  }

  private static ObjectNode asked(String name, Object value) {
    ObjectNode asked = MAPPER.createObjectNode();
    return value instanceof Long jsn ? asked.put(name, jsn) : asked.put(name, (String) value);
  }

  private static ObjectNode withData(ObjectNode asked, String text) {
    return asked.put("data", base64(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static JsonNode verdict(ObjectNode asked) throws Exception {
    Answer answer = rest.post(ledger + ":verify", asked);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode verdict = answer.json();
    assertThat(verdict.get("level").stringValue()).isEqualTo("server");
    assertThat(verdict.get("notice").stringValue()).contains("proves nothing");
    JsonNode newest = rest.get(ledger + "/blocks/latest").json();
    assertThat(verdict.get("size")).isEqualTo(newest.get("size"));
    assertThat(verdict.get("root")).isEqualTo(newest.get("root"));
    assertThat(verdict.get("verified").booleanValue()).isEqualTo(!verdict.has("reason"));
    return verdict;
  }

  private static Verdict overGrpc(VerifyRequest.Builder asked) {
    return JournalServiceGrpc.newBlockingStub(channel)
        .verify(asked.setLedgerId(ByteString.copyFrom(id.digest().toArray())).build());
  }

  private static VerifyRequest.Builder withData(VerifyRequest.Builder asked, String text) {
    return asked.setData(ByteString.copyFromUtf8(text));
  }

  @Test
  void judgesAJournalAndItsData() throws Exception {
    JsonNode plain = verdict(asked("jsn", first));
    assertThat(plain.get("verified").booleanValue()).as(plain.toString()).isTrue();
    assertThat(plain.get("jsn").longValue()).isEqualTo(first);
    for (long jsn : List.of(0L, 1L, erased, occult)) {
      JsonNode other = verdict(asked("jsn", jsn));
      assertThat(other.get("verified").booleanValue()).as("%s", other).isTrue();
    }
    assertThat(verdict(withData(asked("jsn", first), TEXT)).get("verified").booleanValue())
        .isTrue();
    JsonNode wrong = verdict(withData(asked("jsn", second), TEXT));
    assertThat(wrong.get("verified").booleanValue()).isFalse();
    assertThat(wrong.get("reason").stringValue()).isEqualTo("commitment_mismatch");
    assertThat(wrong.get("detail").stringValue())
        .contains("the header says bodyCommit ")
        .doesNotContain("contract 8");

    Verdict good = overGrpc(withData(VerifyRequest.newBuilder().setJsn(first), TEXT));
    assertThat(good.getVerified()).isTrue();
    assertThat(good.getJsn()).isEqualTo(first);
    assertThat(good.getSize()).isEqualTo(wrong.get("size").longValue());
    assertThat(good.getNotice()).contains("proves nothing");
    Verdict bad = overGrpc(withData(VerifyRequest.newBuilder().setJsn(second), TEXT));
    assertThat(bad.getVerified()).isFalse();
    assertThat(bad.getReason()).isEqualTo("commitment_mismatch");
  }

  @Test
  void judgesAClueAndFindsWhichJournalHasTheData() throws Exception {
    JsonNode plain = verdict(asked("clue", "deal"));
    assertThat(plain.get("verified").booleanValue()).isTrue();
    assertThat(plain.get("count").intValue()).isEqualTo(3);
    String clueId = Commitments.clueId(id, "deal").hex();
    assertThat(verdict(asked("clueId", clueId)).get("count").intValue()).isEqualTo(3);
    JsonNode found = verdict(withData(asked("clue", "deal"), TEXT));
    assertThat(found.get("verified").booleanValue()).as(found.toString()).isTrue();
    assertThat(found.get("jsn").longValue()).isEqualTo(first);
    JsonNode none = verdict(withData(asked("clue", "deal"), "contract 9"));
    assertThat(none.get("reason").stringValue()).isEqualTo("commitment_mismatch");
    assertThat(none.has("jsn")).isFalse();
    JsonNode never = verdict(asked("clue", "never used"));
    assertThat(never.get("reason").stringValue()).isEqualTo("missing");
    assertThat(never.get("count").intValue()).isZero();

    ByteString digest = ByteString.copyFrom(Commitments.clueId(id, "deal").toArray());
    Verdict same = overGrpc(withData(VerifyRequest.newBuilder().setClueId(digest), TEXT));
    assertThat(same.getVerified()).isTrue();
    assertThat(same.getJsn()).isEqualTo(first);
    assertThat(same.getCount()).isEqualTo(3);
  }

  @Test
  void judgesAReceiptOverGrpcToo() throws Exception {
    JsonNode shown = rest.get(ledger + "/journals/" + first + "/receipt").json();
    byte[] leaf = RestService.bytes(shown.get("leaf"));
    byte[] receipt = RestService.bytes(shown.get("receipt"));
    ByteString file =
        ByteString.copyFrom(
            new CborWriter()
                .array(3)
                .uint(9)
                .bytes(leaf)
                .raw(receipt, 0, receipt.length)
                .toArray());
    assertThat(overGrpc(VerifyRequest.newBuilder().setReceiptFile(file)).getVerified()).isTrue();
    Verdict bad =
        overGrpc(VerifyRequest.newBuilder().setReceiptFile(file.substring(0, file.size() - 1)));
    assertThat(bad.getVerified()).isFalse();
    assertThat(bad.getReason()).isEqualTo("malformed");
  }

  @Test
  void saysByWhatABodyIsGone() throws Exception {
    Answer gone = rest.post(ledger + ":verify", withData(asked("jsn", erased), TEXT));
    assertThat(gone.status()).as(gone.text()).isEqualTo(451);
    assertThat(gone.json().get("code").stringValue()).isEqualTo("erased");
    assertThat(gone.json().get("jsn").longValue()).isEqualTo(occult);
    assertThat(gone.json().has("receipt")).isTrue();
    refused("erased", withData(VerifyRequest.newBuilder().setJsn(erased), TEXT));
  }

  private static void refused(String code, VerifyRequest.Builder asked) {
    assertThatThrownBy(() -> overGrpc(asked))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e ->
                assertThat(Objects.requireNonNull(ProblemTrailer.of(e)).getCode()).isEqualTo(code));
  }

  @Test
  void refusesQuestionsThatAreNone() throws Exception {
    for (ObjectNode wrong :
        List.of(
            asked("jsn", first).put("clue", "deal"),
            asked("clue", "deal").put("clueId", id.hex()),
            asked("receiptFile", "").put("data", ""),
            asked("data", ""),
            asked("jsn", -1L),
            asked("jsn", "2"),
            asked("jsn", 0L).put("data", ""),
            asked("jsn", first).put("dat", ""))) {
      Answer answer = rest.post(ledger + ":verify", wrong);
      assertThat(answer.status()).as("%s: %s", wrong, answer.text()).isEqualTo(400);
      assertThat(answer.json().get("code").stringValue()).isEqualTo("malformed");
    }
    Answer beyond = rest.post(ledger + ":verify", asked("jsn", 99L));
    assertThat(beyond.status()).as(beyond.text()).isEqualTo(404);
    refused("malformed", VerifyRequest.newBuilder());
    refused("malformed", withData(VerifyRequest.newBuilder().setReceiptFile(ByteString.EMPTY), ""));
    refused("out_of_range", VerifyRequest.newBuilder().setJsn(99));
  }

  @Test
  void takesDataAsLongAsAPayload() throws Exception {
    String text = "x".repeat(1 << 20);
    ObjectNode big = rest.prepared(ledger, text, ADA);
    long jsn = rest.post(ledger + "/journals", big).json().get("jsn").longValue();
    assertThat(overGrpc(withData(VerifyRequest.newBuilder().setJsn(jsn), text)).getVerified())
        .isTrue();
    refused("too_large", withData(VerifyRequest.newBuilder().setJsn(jsn), "x".repeat(2 << 20)));
  }
}
