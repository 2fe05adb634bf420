package io.tallystick.proxy.rest;

import io.tallystick.crypto.PublicKey;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.proxy.NodeOpener;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A real service and a client of it that has JSON, HTTP and a signature library and knows nothing
/// else.
final class RestService implements AutoCloseable {
  static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Duration ANSWER_MAX = Duration.ofSeconds(60);

  private final RunningService service;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /// One whose reads are open, for tests of what is read.
  RestService(Path data) throws Exception {
    this(ServiceProperties.of(data, 0).withReads(ServiceProperties.Reads.ANYONE));
  }

  RestService(ServiceProperties properties) throws Exception {
    this(LocalNode::open, properties);
  }

  RestService(NodeOpener opener, ServiceProperties properties) throws Exception {
    service = TallystickService.start(opener, properties);
  }

  /// An answer, whatever its status.
  record Answer(HttpResponse<byte[]> response) {
    int status() {
      return response.statusCode();
    }

    JsonNode json() {
      return MAPPER.readTree(response.body());
    }

    String text() {
      return new String(response.body(), StandardCharsets.UTF_8);
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  /// Where it listens for gRPC.
  String target() {
    return service.target();
  }

  int httpPort() {
    return service.httpPort();
  }

  Answer get(String path, String... headers) throws IOException, InterruptedException {
    return send(request(path, headers).GET().build());
  }

  Answer post(String path, JsonNode body) throws IOException, InterruptedException {
    return post(path, "application/json", MAPPER.writeValueAsBytes(body));
  }

  Answer post(String path, String contentType, byte[] body, String... headers)
      throws IOException, InterruptedException {
    return send(
        request(path, headers)
            .header("Content-Type", contentType)
            .POST(BodyPublishers.ofByteArray(body))
            .build());
  }

  HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.httpTarget() + path)).timeout(ANSWER_MAX);
    return headers.length == 0 ? request : request.headers(headers);
  }

  Answer send(HttpRequest request) throws IOException, InterruptedException {
    return new Answer(http.send(request, BodyHandlers.ofByteArray()));
  }

  static Signer key(SignatureAlgorithm algorithm) {
    return SignatureProviders.best().generate(algorithm);
  }

  /// Founds a ledger with what the service prepared.
  ///
  /// @return its path
  String found(String name, Signer... owners) throws Exception {
    return found(name, false, owners);
  }

  String found(String name, boolean isPublic, Signer... owners) throws Exception {
    return found(MAPPER.createObjectNode().put("name", name).put("public", isPublic), owners);
  }

  /// One whose journals name no clues.
  String foundWithoutClues(String name, Signer... owners) throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("name", name);
    wish.putArray("features");
    return found(wish, owners);
  }

  /// One with a state whose partitions are small.
  String foundWithState(String name, Signer... owners) throws Exception {
    return foundWithState(name, false, owners);
  }

  String foundWithState(String name, boolean isPublic, Signer... owners) throws Exception {
    ObjectNode wish = MAPPER.createObjectNode().put("name", name).put("public", isPublic);
    wish.putArray("features").add(1).add(2);
    wish.putObject("stateParams")
        .put("partitionEntriesMax", 16)
        .put("leafEntriesMax", 4)
        .put("innerEntriesMax", 4);
    return found(wish, owners);
  }

  private String found(ObjectNode wish, Signer... owners) throws Exception {
    ArrayNode keys = wish.putArray("owners");
    for (Signer owner : owners) {
      keys.add(base64(owner.publicKey()));
    }
    ObjectNode prepared = (ObjectNode) post("/v1/ledgers:prepare", wish).json();
    JsonNode toSign = prepared.remove("toSign");
    prepared.remove("ledgerId");
    prepared.set("signatures", sign(toSign, owners));
    Answer answer = post("/v1/ledgers", prepared);
    if (answer.status() != 201) {
      throw new AssertionError(answer.text());
    }
    return answer.header("Location");
  }

  /// A request the service made of `payload`, signed.
  ObjectNode prepared(String ledger, String payload, Signer... signers) throws Exception {
    ObjectNode wish =
        MAPPER
            .createObjectNode()
            .put("payload", base64(payload.getBytes(StandardCharsets.UTF_8)))
            .put("contentType", "text/plain");
    return signed(ledger + "/journals:prepare", wish, signers);
  }

  /// Appends `payload` under clues.
  ///
  /// @return its jsn
  long append(String ledger, String payload, List<String> clues, Signer signer) throws Exception {
    ObjectNode wish =
        MAPPER.createObjectNode().put("payload", base64(payload.getBytes(StandardCharsets.UTF_8)));
    clues.forEach(wish.putArray("clues")::add);
    return append(ledger, wish, signer);
  }

  /// Appends what a prepare call makes of a wish.
  ///
  /// @return its jsn
  long append(String ledger, ObjectNode wish, Signer signer) throws Exception {
    Answer answer = post(ledger + "/journals", signed(ledger + "/journals:prepare", wish, signer));
    if (answer.status() != 201) {
      throw new AssertionError(answer.text());
    }
    return answer.json().get("jsn").longValue();
  }

  /// What a prepare call answers, signed by all.
  ObjectNode signed(String path, ObjectNode wish, Signer... signers) throws Exception {
    ArrayNode kids = wish.putArray("signers");
    for (Signer signer : signers) {
      kids.add(signer.publicKey().kid().hex());
    }
    Answer answer = post(path, wish);
    if (answer.status() != 200) {
      throw new AssertionError(answer.text());
    }
    JsonNode prepared = answer.json();
    ObjectNode request = MAPPER.createObjectNode();
    for (String part : List.of("header", "salt", "body")) {
      request.set(part, prepared.get(part));
    }
    if (prepared.has("ops")) {
      request.set("ops", prepared.get("ops"));
    }
    request.set("signatures", sign(prepared.get("toSign"), signers));
    return request;
  }

  static ArrayNode sign(JsonNode toSign, Signer... signers) {
    ArrayNode signatures = MAPPER.createArrayNode();
    for (JsonNode each : toSign) {
      for (Signer signer : signers) {
        if (signer.publicKey().kid().hex().equals(each.get("kid").stringValue())) {
          byte[] bytes = Base64.getDecoder().decode(each.get("bytes").stringValue());
          signatures
              .addObject()
              .put("kid", each.get("kid").stringValue())
              .put("signature", base64(signer.sign(bytes)));
        }
      }
    }
    return signatures;
  }

  static String base64(PublicKey key) {
    return base64(key.spki().toArray());
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  static byte[] bytes(JsonNode text) {
    return Base64.getDecoder().decode(text.stringValue());
  }

  /// Ends the service, while its client goes on.
  void stop() {
    service.close();
  }

  @Override
  public void close() {
    http.close();
    service.close();
  }
}
