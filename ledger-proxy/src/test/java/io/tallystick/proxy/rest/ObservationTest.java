package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TracingProperties;
import io.tallystick.proxy.trace.SpanCollector;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an operator sees what the pages promise, and of a ledger's content nothing. Method: a real
/// service, its Prometheus page, and a collector of traces that keeps what it gets.
class ObservationTest {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");
  private static final String TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String TRACEPARENT = "00-" + TRACE_ID + "-00f067aa0ba902b7-01";
  private static final String SECRET = "what nobody but members may read";

  @TempDir private Path data;
  private final Signer owner = RestService.key(SignatureAlgorithm.ED25519);

  @Test
  void everyMeterOfOursStandsInThePageAndTheOtherWayRound() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("metered", owner);
      rest.post(ledger + "/journals", rest.prepared(ledger, SECRET, owner));
      String metrics = rest.get("/actuator/prometheus").text();
      Set<String> served =
          metrics
              .lines()
              .filter(line -> line.startsWith("# TYPE ledger_"))
              .map(line -> line.split(" ", 4)[2])
              .filter(name -> !name.endsWith("_max"))
              .collect(Collectors.toCollection(TreeSet::new));
      Set<String> documented =
          Pattern.compile("^\\| `(ledger_[a-z_]+)", Pattern.MULTILINE)
              .matcher(Files.readString(PAGE))
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(served).isEqualTo(documented);
      assertThat(metrics)
          .contains("ledger_append_seconds_bucket")
          .doesNotContain("metered", SECRET, ledger.substring(ledger.lastIndexOf('/') + 1));
    }
  }

  /// What a caller makes up, a path or a method, must not make a new line of its own.
  @Test
  void requestsAreTimedByMethodRouteAndStatus() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("timed", owner);
      rest.post(ledger + "/journals", rest.prepared(ledger, SECRET, owner));
      rest.get(ledger + "/journals/1");
      rest.get(ledger + "/journals/99");
      rest.get("/nowhere/at/all");
      rest.send(rest.request(ledger).method("BREW", BodyPublishers.noBody()).build());
      String metrics = rest.get("/actuator/prometheus").text();
      assertThat(metrics)
          .contains(
              timed("POST", "SUCCESS", 201, "/v1/ledgers/{ledger}/journals"),
              timed("GET", "SUCCESS", 200, "/v1/ledgers/{ledger}/journals/{jsn}"),
              timed("GET", "CLIENT_ERROR", 404, "/v1/ledgers/{ledger}/journals/{jsn}"),
              timed("GET", "CLIENT_ERROR", 404, "UNKNOWN"),
              timed("UNKNOWN", "CLIENT_ERROR", 405, "UNKNOWN"))
          .doesNotContain("BREW", "nowhere");
    }
  }

  private static String timed(String method, String outcome, int status, String route) {
    return String.format(
        Locale.ROOT,
        "http_server_requests_seconds_count{method=\"%s\",outcome=\"%s\",status=\"%d\",uri=\"%s\"} 1",
        method,
        outcome,
        status,
        route);
  }

  @Test
  void aTraceIsContinuedFromItsCallerAndTellsNoPayload() throws Exception {
    SpanCollector collector = new SpanCollector();
    ServiceProperties properties =
        ServiceProperties.of(data, 0)
            .withReads(ServiceProperties.Reads.ANYONE)
            .withTracing(new TracingProperties(collector.endpoint(), 0));
    String ledger;
    try (RestService rest = new RestService(properties)) {
      ledger = rest.found("traced", owner);
      byte[] body = RestService.MAPPER.writeValueAsBytes(rest.prepared(ledger, SECRET, owner));
      RestService.Answer answer =
          rest.post(ledger + "/journals", "application/json", body, "traceparent", TRACEPARENT);
      assertThat(answer.status()).isEqualTo(201);
      RestService.Answer refused = rest.get(ledger + "/journals/99", "traceparent", TRACEPARENT);
      assertThat(refused.json().get("traceId").stringValue()).isEqualTo(TRACE_ID);
    } finally {
      collector.close();
    }
    assertThat(collector.received())
        .contains(
            "POST /v1/ledgers/{ledger}/journals",
            "GET /v1/ledgers/{ledger}/journals/{jsn}",
            "out_of_range",
            ledger.substring(ledger.lastIndexOf('/') + 1))
        // Founding and preparing were nobody's trace, and none was begun for them.
        .doesNotContain("POST /v1/ledgers:prepare")
        .doesNotContain(SECRET, RestService.base64(SECRET.getBytes(StandardCharsets.UTF_8)));
  }
}
