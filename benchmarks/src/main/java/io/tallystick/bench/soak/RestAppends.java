package io.tallystick.bench.soak;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.Bytes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Appends as `docs/rest.md` has them.
///
/// @param target `http://HOST:PORT`
/// @param http shared; closed by its owner
record RestAppends(String target, HttpClient http) implements Appends {
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final int SERVER_ERROR = 500;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Override
  public Answer append(SoakRequest request) throws InterruptedException {
    boolean isBatch = request.requests().size() > 1;
    String path =
        String.format(
            Locale.ROOT,
            "/v1/ledgers/%s/journals%s",
            request.strand().ledger().hex(),
            isBatch ? ":batch" : "");
    HttpRequest message =
        HttpRequest.newBuilder(URI.create(target + path))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body(request, isBatch))))
            .build();
    try {
      HttpResponse<byte[]> response = http.send(message, BodyHandlers.ofByteArray());
      JsonNode json = JSON.readTree(response.body());
      return switch (response.statusCode()) {
        case 200, 201 -> isBatch ? receiptedBatch(json) : receipted(json);
        default -> refused(response.statusCode(), json);
      };
    } catch (IOException | JacksonException e) {
      return new Answer.Silent(String.valueOf(e));
    }
  }

  private static Map<String, Object> body(SoakRequest request, boolean isBatch) {
    List<Map<String, Object>> requests = request.requests().stream().map(RestAppends::of).toList();
    Map<String, Object> body =
        isBatch
            ? new LinkedHashMap<>(Map.of("requests", requests))
            : new LinkedHashMap<>(requests.getFirst());
    body.put("attestation", base64(request.attestation()));
    return body;
  }

  private static Map<String, Object> of(SignedRequest request) {
    return Map.of(
        "header", base64(request.header()),
        "salt", base64(request.salt()),
        "body", base64(request.body()));
  }

  private static Answer receipted(JsonNode json) {
    return new Answer.Receipted(
        json.get("jsn").longValue(),
        json.get("timeMs").longValue(),
        json.get("repeated").booleanValue(),
        bytes(json.get("receipt")),
        false);
  }

  private static Answer receiptedBatch(JsonNode json) {
    return new Answer.Receipted(
        json.get("firstJsn").longValue(),
        json.get("timeMs").longValue(),
        json.get("repeated").booleanValue(),
        bytes(json.get("rangeReceipt")),
        true);
  }

  private static Answer refused(int status, JsonNode json) {
    JsonNode code = json.get("code");
    JsonNode retryable = json.get("retryable");
    if (code == null || retryable == null) {
      return new Answer.Silent("status " + status + ": " + json);
    }
    return new Answer.Refused(
        code.stringValue(), !retryable.booleanValue() && status < SERVER_ERROR);
  }

  private static String base64(Bytes bytes) {
    return Base64.getEncoder().encodeToString(bytes.unsafeArray());
  }

  private static Bytes bytes(JsonNode text) {
    return Bytes.wrap(Base64.getDecoder().decode(text.stringValue()));
  }

  @Override
  public void close() {
    // Nothing is held but the shared connections.
  }
}
