package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static io.tallystick.proxy.rest.RestService.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.testkit.SeededSigner;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/// Goal: whatever is wrong is answered with a problem document that names it, and leaves the ledger
/// as it was. Method: the real application; the last test of each kind of damage counts leaves.
class RestRefusalTest {
  @TempDir private static Path data;

  private static RestService rest;
  private static Signer owner;
  private static String ledger;

  @BeforeAll
  static void start() throws Exception {
    rest = new RestService(data);
    owner = RestService.key(SignatureAlgorithm.ED25519);
    ledger = rest.found("refusals", owner);
  }

  @AfterAll
  static void stop() {
    rest.close();
  }

  private static void assertProblem(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(answer.json().get("status").intValue()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).as(answer.text()).isEqualTo(code);
    assertThat(answer.json().get("type").stringValue()).isEqualTo("urn:tallystick:problem:" + code);
    assertThat(answer.json().get("traceId").stringValue()).matches("[0-9a-f]{32}");
    assertThat(answer.json().get("detail").stringValue()).isNotEmpty();
  }

  private static long size() throws Exception {
    return rest.get(ledger).json().get("size").longValue();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "/nowhere, 404, not_found",
        "/v1, 404, not_found",
        "/v1/ledgers/, 404, not_found",
        "/error, 404, not_found",
        "/v1/ledgers/xyz, 400, malformed",
        "/v1/ledgers?limit=-1, 400, malformed",
        "/v1/ledgers?limit=1001, 413, too_large",
        "/v1/ledgers?limit=99999999999999999999, 400, malformed",
        "/v1/ledgers?cursor=zz, 400, malformed",
        "{}/journals/99, 404, out_of_range",
        "{}/journals/-1, 400, malformed",
        "{}/journals/01, 400, malformed",
        "{}/journals/1e3, 400, malformed",
        "{}/journals/9223372036854775808, 400, malformed",
        "{}/journals/9223372036854775807, 404, out_of_range",
        "{}/journals/0/proof?size=99, 404, future_size",
        "{}/journals/99/receipt, 404, out_of_range",
        "{}/journals?from=99, 404, out_of_range",
        "{}/journals?from=0&cursor=AAAA, 400, malformed",
        "{}/journals?cursor=AAAA, 400, malformed",
        "{}/consistency, 400, malformed",
        "{}/consistency?from=0, 404, out_of_range",
        "{}/consistency?from=2&to=99, 404, future_size",
        "{}/blocks/99, 404, out_of_range",
        "{}/blocks/newest, 400, malformed",
        "{}:verify, 405, method_not_allowed",
        "{}:nothing, 404, not_found",
        "/v1/ledgers:prepare, 405, method_not_allowed",
        "/actuator, 404, not_found",
        "/actuator/nothing, 404, not_found",
        "/actuator/health/x, 404, not_found",
        "/actuator/health/liveness/x, 404, not_found",
        "/actuator/prometheus/x, 404, not_found",
        "/v1/nowhere?x=1, 404, not_found",
      })
  void aWrongReadIsAProblem(String path, int status, String code) throws Exception {
    assertProblem(rest.get(path.replace("{}", ledger)), status, code);
  }

  @Test
  void anUnknownLedgerIsOneEverywhere() throws Exception {
    String unknown = "/v1/ledgers/" + "0".repeat(64);
    for (String path :
        new String[] {
          "", "/members", "/journals", "/journals/0", "/checkpoint", "/blocks/latest"
        }) {
      assertProblem(rest.get(unknown + path), 404, "unknown_ledger");
    }
    ObjectNode wish = MAPPER.createObjectNode().put("payload", "");
    wish.putArray("signers").add(owner.publicKey().kid().hex());
    assertProblem(rest.post(unknown + "/journals:prepare", wish), 404, "unknown_ledger");
  }

  @Test
  void methodsAndContentTypesAreNamed() throws Exception {
    Answer method = rest.send(rest.request(ledger).DELETE().build());
    assertProblem(method, 405, "method_not_allowed");
    assertThat(method.header("Allow")).contains("GET");
    assertProblem(
        rest.post(ledger + "/journals", "text/xml", new byte[] {'<'}),
        415,
        "unsupported_media_type");
    assertProblem(
        rest.get(ledger + "/journals/0/receipt", "Accept", "image/png"), 406, "not_acceptable");
    Answer unread = rest.get(ledger + "/clue?clue=x", "Accept", "everything");
    assertProblem(unread, 406, "not_acceptable");
    assertThat(unread.json().get("detail").stringValue())
        .isEqualTo("Accept is no list of media types");
    Answer none = rest.post(ledger + "/journals", " ", new byte[0]);
    assertProblem(none, 415, "unsupported_media_type");
    assertThat(none.json().get("detail").stringValue()).startsWith("content type missing, want ");
  }

  /// Whatever a browser asks before it asks.
  @Test
  void optionsNamesTheMethodsThereAre() throws Exception {
    for (String[] headers :
        new String[][] {
          {}, {"Origin", "https://x.example", "Access-Control-Request-Method", "PUT"}
        }) {
      Answer one = options(ledger, headers);
      assertThat(one.status()).isEqualTo(200);
      assertThat(one.header("Allow")).isEqualTo("GET,HEAD,OPTIONS");
      assertThat(options(ledger + "/journals", headers).header("Allow").split(","))
          .containsExactlyInAnyOrder("GET", "HEAD", "POST", "OPTIONS");
      Answer none = options("/nowhere", headers);
      assertProblem(none, 404, "not_found");
      assertThat(none.header("Allow")).isEmpty();
    }
  }

  private static Answer options(String path, String... headers) throws Exception {
    HttpRequest.Builder request = rest.request(path).method("OPTIONS", BodyPublishers.noBody());
    return rest.send((headers.length == 0 ? request : request.headers(headers)).build());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "7",
        "{} {}",
        "{\"header\":1}",
        "{\"header\":\"*\"}",
        "{\"header\":\"AA==\",\"header\":\"AA==\"}",
        "{\"header\":\"AA==\",\"salt\":\"AA==\",\"body\":\"AA==\",\"attestation\":null}",
        "{\"header\":\"AA==\",\"salt\":\"AA==\",\"body\":\"AA==\",\"attestation\":\"AA==\",\"x\":1}",
        "{\"header\":\"AA==\",\"salt\":\"AA==\",\"body\":\"AA==\",\"attestation\":\"AA==\",\"mode\":\"fast\"}",
        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}}}}",
      })
  void aBodyThatIsNotWhatItShouldBeIsMalformed(String body) throws Exception {
    assertProblem(
        rest.post(ledger + "/journals", "application/json", body.getBytes(StandardCharsets.UTF_8)),
        400,
        "malformed");
  }

  @Test
  void bytesThatAreNoUtf8AreMalformed() throws Exception {
    byte[] body = "{\"header\":\"A\"}".getBytes(StandardCharsets.ISO_8859_1);
    body[11] = (byte) 0xff;
    assertProblem(rest.post(ledger + "/journals", "application/json", body), 400, "malformed");
  }

  private static Answer preparedWithType(String escaped) throws Exception {
    String wish =
        String.format(
            Locale.ROOT,
            "{\"payload\":\"\",\"contentType\":\"%s\",\"signers\":[\"%s\"]}",
            escaped,
            owner.publicKey().kid().hex());
    return rest.post(
        ledger + "/journals:prepare", "application/json", wish.getBytes(StandardCharsets.UTF_8));
  }

  /// JSON can say what UTF-8 cannot.
  @ParameterizedTest
  @ValueSource(strings = {"\\ud83d", "a\\ude00", "\\ude00\\ud83d", "\\ud83d\\ud83d\\ude00"})
  void halfASurrogatePairIsMalformed(String escaped) throws Exception {
    Answer answer = preparedWithType(escaped);
    assertProblem(answer, 400, "malformed");
    assertThat(answer.text()).contains("contentType has half a surrogate pair");
    assertThat(preparedWithType("a\\ud83d\\ude00b\\ud83d\\ude00").status()).isEqualTo(200);
  }

  /// A prepared request altered before or after signing, in any of its parts, at any byte tried.
  @Test
  void aPreparedRequestThatWasAlteredIsRefused() throws Exception {
    SplittableRandom random = new SplittableRandom(20261121);
    long before = size();
    for (String part : new String[] {"header", "salt", "body"}) {
      for (int i = 0; i < 20; i++) {
        ObjectNode request = rest.prepared(ledger, "as agreed", owner);
        byte[] bytes = bytes(request.get(part));
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Answer answer = rest.post(ledger + "/journals", request.put(part, base64(bytes)));
        assertThat(answer.status()).as(part + ": " + answer.text()).isBetween(400, 422);
      }
    }
    assertThat(size()).isEqualTo(before);
  }

  /// The equation holds, and who has no such rule would accept it.
  @Test
  void aSignatureWhoseRIsOfSmallOrderIsRefused() throws Exception {
    SeededSigner ada = SeededSigner.ed25519("ada");
    Signer weak =
        new Signer() {
          @Override
          public PublicKey publicKey() {
            return ada.publicKey();
          }

          @Override
          public byte[] sign(byte[] message) {
            return ada.signWithoutNonce(message);
          }
        };
    String hers = rest.found("small order", ada);
    ObjectNode request = rest.prepared(hers, "weak", weak);
    assertProblem(rest.post(hers + "/journals", request), 401, "bad_signature");
    assertThat(rest.post(hers + "/journals", rest.prepared(hers, "good", ada)).status())
        .isEqualTo(201);
  }

  @Test
  void strangersAndForgersAreTold() throws Exception {
    Signer stranger = RestService.key(SignatureAlgorithm.ED25519);
    ObjectNode wish = MAPPER.createObjectNode().put("payload", "");
    wish.putArray("signers").add(stranger.publicKey().kid().hex());
    assertProblem(rest.post(ledger + "/journals:prepare", wish), 403, "unknown_key");

    ObjectNode request = rest.prepared(ledger, "mine", owner);
    ObjectNode signature = (ObjectNode) request.get("signatures").get(0);
    byte[] forged = bytes(signature.get("signature"));
    forged[3] ^= 4;
    signature.put("signature", base64(forged));
    assertProblem(rest.post(ledger + "/journals", request), 401, "bad_signature");
    signature.put("signature", base64(new byte[63]));
    assertProblem(rest.post(ledger + "/journals", request), 400, "malformed");
    signature.put("kid", stranger.publicKey().kid().hex());
    signature.put("signature", base64(new byte[64]));
    assertProblem(rest.post(ledger + "/journals", request), 403, "unknown_key");
  }

  @Test
  void aRequestForAnotherLedgerIsRefused() throws Exception {
    String other = rest.found("other", owner);
    ObjectNode request = rest.prepared(other, "there", owner);
    assertProblem(rest.post(ledger + "/journals", request), 422, "wrong_ledger");
  }

  @Test
  void onlyMemberRequestsBelongUnderMembers() throws Exception {
    long before = size();
    ObjectNode request = rest.prepared(ledger, "no member", owner);
    assertProblem(rest.post(ledger + "/members", request), 400, "malformed");
    assertThat(size()).isEqualTo(before);
  }

  @Test
  void aBatchOfOneIsNone() throws Exception {
    ObjectNode one = rest.prepared(ledger, "alone", owner);
    one.remove("signatures");
    ObjectNode batch = MAPPER.createObjectNode().put("attestation", "");
    batch.putArray("requests").add(one);
    assertProblem(rest.post(ledger + "/journals:batch", batch), 422, "batch_invalid");
  }

  @Test
  void aDamagedCoseRequestIsRefused() throws Exception {
    SplittableRandom random = new SplittableRandom(7);
    String cose = rest.found("cose", owner);
    StrandId strand =
        new StrandId(
            io.tallystick.model.LedgerId.fromHex(cose.substring("/v1/ledgers/".length())), 0);
    byte[] message =
        RestJourneyTest.coseRequest(strand, owner, rest.prepared(cose, "whole", owner));
    for (int i = 0; i < 100; i++) {
      byte[] damaged = message.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      Answer answer = rest.post(cose + "/journals", "application/cose", damaged);
      assertThat(answer.status()).as(answer.text()).isBetween(400, 422);
    }
    assertThat(rest.get(cose).json().get("size").longValue()).isEqualTo(2);
    assertThat(rest.post(cose + "/journals", "application/cose", message).status()).isEqualTo(201);
  }

  @Test
  void aBodyBeyondTheLimitIsRefusedWithOrWithoutItsLengthTold() throws Exception {
    byte[] tooLarge = new byte[RequestGate.BODY_BYTES_MAX + 1];
    java.util.Arrays.fill(tooLarge, (byte) ' ');
    Answer chunked =
        rest.send(
            rest.request(ledger + "/journals")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(tooLarge)))
                .build());
    assertProblem(chunked, 413, "too_large");
    assertThat(chunked.json().get("limit").longValue()).isEqualTo(RequestGate.BODY_BYTES_MAX);
    String head =
        String.format(
            Locale.ROOT,
            "POST %s/journals HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
            ledger,
            tooLarge.length);
    assertThat(raw(head)).startsWith("HTTP/1.1 413").contains("\"code\":\"too_large\"");
  }

  @Test
  void whatIsNoHttpIsAProblemToo() throws Exception {
    assertThat(raw("GET /v1/service\u0001 HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .startsWith("HTTP/1.1 400")
        .contains("application/problem+json", "\"code\":\"malformed\"");
    String longHeader = "X: " + "y".repeat(20_000);
    assertThat(raw("GET /v1/service HTTP/1.1\r\nHost: localhost\r\n" + longHeader + "\r\n\r\n"))
        .contains("application/problem+json");
  }

  @Test
  void aBodyOfMillionsOfSmallThingsIsNotUnfolded() throws Exception {
    for (String thing : new String[] {"{}", "[]", "1"}) {
      String body = "{\"a\":[" + (thing + ",").repeat(1_000_000) + thing + "]}";
      assertProblem(
          rest.post(
              "/v1/ledgers:prepare", "application/json", body.getBytes(StandardCharsets.UTF_8)),
          400,
          "malformed");
    }
  }

  @Test
  void jsonInAnotherEncodingIsMalformed() throws Exception {
    byte[] body = "{\"name\":\"x\",\"owners\":[]}".getBytes(StandardCharsets.UTF_16LE);
    assertProblem(rest.post("/v1/ledgers:prepare", "application/json", body), 400, "malformed");
  }

  @Test
  void aNameThatIsMadeToPointHereIsNotServed() throws Exception {
    assertThat(raw("GET /v1/ledgers HTTP/1.1\r\nHost: evil.example:4511\r\n\r\n"))
        .startsWith("HTTP/1.1 421")
        .contains("\"code\":\"wrong_host\"");
  }

  private static String raw(String request) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), rest.httpPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] answer = new byte[4096];
      int read = 0;
      for (int more = in.read(answer); more > 0; more = in.read(answer, read, 4096 - read)) {
        read += more;
        if (new String(answer, 0, read, StandardCharsets.ISO_8859_1).contains("traceId\":\"")) {
          break;
        }
      }
      return new String(answer, 0, read, StandardCharsets.ISO_8859_1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cursor=%zz", "%", "&=&=", "limit=%ff", "cursor=%ed%a0%80"})
  void aQueryThatIsNoListOfNamesAndValuesIsMalformed(String query) throws Exception {
    assertThat(
            raw(
                String.format(
                    Locale.ROOT, "GET /v1/ledgers?%s HTTP/1.1\r\nHost: localhost\r\n\r\n", query)))
        .startsWith("HTTP/1.1 400")
        .contains("application/problem+json", "\"code\":\"malformed\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /v1/service HTTP/3.7\r\nHost: localhost\r\n",
        "CONNECT x:80 HTTP/1.1\r\nHost: localhost\r\n",
        "POST /v1/ledgers HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n",
      })
  void whatHttpMayAskAndThisServiceDoesNotDoIsNoFaultOfTheService(String head) throws Exception {
    assertThat(raw(head + "\r\n"))
        .startsWith("HTTP/1.1 400")
        .contains("\"status\":400", "\"code\":\"malformed\"");
  }

  @Test
  void aFormIsNoBodyThatAnyRouteTakes() throws Exception {
    Answer noBoundary =
        rest.post(ledger + "/journals", "multipart/form-data", new byte[] {'-', '-'});
    assertProblem(noBoundary, 415, "unsupported_media_type");
    Answer read = rest.get("/v1/service", "Content-Type", "multipart/form-data");
    assertThat(read.status()).as(read.text()).isEqualTo(200);
  }

  @Test
  void anEncodedBodyIsRefusedByNameAndNotTakenForADamagedOne() throws Exception {
    Answer answer =
        rest.post(
            ledger + "/journals", "application/json", new byte[] {31}, "Content-Encoding", "gzip");
    assertProblem(answer, 415, "unsupported_media_type");
    assertThat(answer.json().get("detail").stringValue()).contains("gzip");
  }

  @ParameterizedTest
  @ValueSource(strings = {"YQ", "YR==", "YWF=", "-_-_", "YWFh\\n"})
  void bytesHaveOneText(String payload) throws Exception {
    byte[] body =
        String.format(
                Locale.ROOT,
                "{\"payload\":\"%s\",\"signers\":[\"%s\"]}",
                payload,
                owner.publicKey().kid().hex())
            .getBytes(StandardCharsets.UTF_8);
    Answer answer = rest.post(ledger + "/journals:prepare", "application/json", body);
    assertProblem(answer, 400, "malformed");
    assertThat(answer.json().get("detail").stringValue()).contains("payload is no base64");
  }

  /// Four bodies of the greatest size would take all the room there is, if they came.
  @Test
  void bodiesThatWereAnnouncedAndDoNotComeTakeNoRoomFromOthers() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), rest.httpPort());
        silent.add(socket);
        socket
            .getOutputStream()
            .write(
                String.format(
                        Locale.ROOT,
                        "POST %s/journals HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
                        ledger,
                        RequestGate.BODY_BYTES_MAX)
                    .getBytes(StandardCharsets.ISO_8859_1));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
      for (int i = 0; i < 20; i++) {
        rest.prepared(ledger, "not in the way", owner);
      }
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void theCallersTraceIdNamesTheProblem() throws Exception {
    String trace = "0123456789abcdef0123456789abcdef";
    Answer answer = rest.get("/nowhere", "traceparent", "00-" + trace + "-0123456789abcdef-01");
    assertThat(answer.json().get("traceId").stringValue()).isEqualTo(trace);
  }
}
