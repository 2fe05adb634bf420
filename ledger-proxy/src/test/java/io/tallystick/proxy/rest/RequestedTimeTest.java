package io.tallystick.proxy.rest;

import static io.tallystick.proxy.rest.RestService.MAPPER;
import static io.tallystick.proxy.rest.RestService.base64;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.model.Bytes;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.proxy.rest.RestService.Answer;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Goal: a member has the newest head stamped when it wants to, and is told why if it cannot.
/// Method: the real service over HTTP, and a time authority on loopback that waits, fails or stamps
/// as the test says. The schedule stamps a ledger once only, when it is founded.
class RequestedTimeTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("A");

  @TempDir private Path directory;

  private final Signer ada = RestService.key(SignatureAlgorithm.ED25519);
  private final Signer bo = RestService.key(SignatureAlgorithm.ED25519);
  private final Semaphore answers = new Semaphore(0);
  private final AtomicInteger asked = new AtomicInteger();
  private volatile boolean waits;
  private volatile boolean failing;
  private HttpServer authority;

  @BeforeEach
  void startAuthority() throws IOException {
    authority = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    authority.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    authority.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          try (exchange) {
            Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
            if (waits) {
              boolean _ = answers.tryAcquire(60, TimeUnit.SECONDS);
            }
            byte[] answer = AUTHORITY.answer(query, Instant.now(), recipe -> recipe).toArray();
            exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
            exchange.sendResponseHeaders(failing ? 404 : 200, answer.length);
            exchange.getResponseBody().write(answer);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    authority.start();
  }

  @AfterEach
  void stopAuthority() {
    answers.release(100);
    authority.stop(0);
  }

  private RestService service(int authorities) throws Exception {
    Path ca = Files.write(directory.resolve("ca.der"), AUTHORITY.root().getEncoded());
    String url = "http://127.0.0.1:" + authority.getAddress().getPort() + "/";
    List<String> urls = List.of(url + "one", url + "two").subList(0, authorities);
    return new RestService(
        ServiceProperties.of(directory.resolve("data"), 0)
            .withTime(
                new TimeProperties(
                    urls,
                    ca.toString(),
                    TokenRecipe.POLICY,
                    Duration.ofHours(1),
                    1_000_000,
                    Duration.ofSeconds(30),
                    false,
                    null,
                    null)));
  }

  private static Answer request(RestService rest, String ledger, Signer reader) throws Exception {
    return rest.post(
        ledger + "/times",
        "application/json",
        "{}".getBytes(StandardCharsets.UTF_8),
        "Authorization",
        "Bearer " + token(ledger, reader));
  }

  private static String token(String ledger, Signer reader) throws Exception {
    return AccessTest.token(reader, ledger.substring(ledger.lastIndexOf('/') + 1));
  }

  private CompletableFuture<Answer> requestMeanwhile(RestService rest, String ledger)
      throws InterruptedException {
    int before = asked.get();
    CompletableFuture<Answer> answer =
        CompletableFuture.supplyAsync(() -> {
          try {
            return request(rest, ledger, ada);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    Waiting.until("the authority is asked", () -> asked.get() > before);
    return answer;
  }

  private static void refused(Answer answer, int status, String code) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.json().get("code").stringValue()).isEqualTo(code);
  }

  /// Founded, and stamped by the schedule.
  private String stamped(RestService rest) throws Exception {
    String ledger = rest.found("stamped", ada);
    String token = "Bearer " + token(ledger, ada);
    Waiting.until(
        "it is stamped for the first time",
        () ->
            rest.get(ledger + "/last-time?at=9000000000000", "Authorization", token).status()
                == 200);
    return ledger;
  }

  @Test
  void theNewestHeadIsStampedOnceAndAnsweredAgain() throws Exception {
    try (RestService rest = service(1)) {
      String ledger = stamped(rest);
      Answer first = request(rest, ledger, ada);
      assertThat(first.status()).as("the schedule was faster: " + first.text()).isEqualTo(200);
      assertThat(first.json().get("size").intValue()).isEqualTo(2);
      rest.append(ledger, "one", List.of(), ada);
      Answer made = request(rest, ledger, ada);
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      JsonNode time = made.json();
      assertThat(time.get("existed").booleanValue()).isFalse();
      assertThat(time.get("size").intValue()).isEqualTo(6);
      assertThat(time.get("jsn").intValue()).isEqualTo(6);
      assertThat(made.header("Location")).isEqualTo(time.get("location").stringValue());
      assertThat(time.get("location").stringValue()).isEqualTo(ledger + "/journals/6");
      Answer again = request(rest, ledger, ada);
      assertThat(again.status()).isEqualTo(200);
      assertThat(again.json()).isEqualTo(((ObjectNode) time.deepCopy()).put("existed", true));

      rest.append(ledger, "two", List.of(), ada);
      Answer early = request(rest, ledger, ada);
      refused(early, 429, "rate_limited");
      assertThat(Integer.parseInt(early.header("Retry-After"))).isBetween(2, 60);
      assertThat(rest.get("/actuator/prometheus").text())
          .contains(
              "ledger_time_requests_total{outcome=\"stamped\"} 1.0",
              "ledger_time_requests_total{outcome=\"existed\"} 2.0");
    }
  }

  @Test
  void onlyAMemberThatMayAppendAsks() throws Exception {
    try (RestService rest = service(1)) {
      String ledger = stamped(rest);
      int before = asked.get();
      refused(rest.post(ledger + "/times", MAPPER.createObjectNode()), 401, "token_required");
      refused(request(rest, ledger, bo), 401, "token_invalid");
      ObjectNode wish =
          MAPPER
              .createObjectNode()
              .put("action", "add")
              .put("role", "readOnly")
              .put("spki", base64(bo.publicKey()));
      Answer added =
          rest.post(ledger + "/members", rest.signed(ledger + "/members:prepare", wish, ada));
      assertThat(added.status()).as(added.text()).isEqualTo(201);
      refused(request(rest, ledger, bo), 403, "role_not_allowed");
      assertThat(asked).hasValue(before);
    }
  }

  @Test
  void withoutAnAuthorityThereIsNoTime() throws Exception {
    try (RestService rest = new RestService(ServiceProperties.of(directory.resolve("data"), 0))) {
      refused(request(rest, rest.found("alone", ada), ada), 409, "time_not_configured");
    }
  }

  @Test
  void saysWhyEachAuthorityGaveNone() throws Exception {
    try (RestService rest = service(2)) {
      String ledger = stamped(rest);
      rest.append(ledger, "one", List.of(), ada);
      failing = true;
      Answer answer = request(rest, ledger, ada);
      refused(answer, 503, "time_not_stamped");
      assertThat(answer.header("Retry-After")).isEqualTo("30");
      assertThat(answer.json().get("retryable").booleanValue()).isTrue();
      String host = "127.0.0.1:" + authority.getAddress().getPort();
      assertThat(answer.json().get("detail").stringValue())
          .isEqualTo("no time came of " + host + ": wrong_status; " + host + ": wrong_status");
      failing = false;
      assertThat(request(rest, ledger, ada).status()).isEqualTo(201);
    }
  }

  @Test
  void whoAsksForTheSameHeadGetsOneAnswerAndANewerHeadWaits() throws Exception {
    try (RestService rest = service(1)) {
      String ledger = stamped(rest);
      rest.append(ledger, "one", List.of(), ada);
      waits = true;
      CompletableFuture<Answer> first = requestMeanwhile(rest, ledger);
      int before = asked.get();
      CompletableFuture<Answer> second =
          CompletableFuture.supplyAsync(() -> {
            try {
              return request(rest, ledger, ada);
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
      rest.append(ledger, "no append waits for an authority", List.of(), ada);
      Waiting.until(
          "a newer head waits",
          () -> {
            Answer newer = request(rest, ledger, ada);
            refused(newer, 429, "rate_limited");
            return newer.json().get("detail").stringValue().contains("the first 6 leaves");
          });
      answers.release(10);
      Answer one = first.get(60, TimeUnit.SECONDS);
      assertThat(one.status()).as(one.text()).isEqualTo(201);
      Answer two = second.get(60, TimeUnit.SECONDS);
      if (two.status() == 201) { // it came before the append
        assertThat(two.json()).isEqualTo(one.json());
      } else {
        refused(two, 429, "rate_limited");
      }
      assertThat(asked).hasValue(before);
    }
  }

  @Test
  void aStopEndsWhoeverWaits() throws Exception {
    CompletableFuture<Answer> answer;
    try (RestService rest = service(1)) {
      String ledger = stamped(rest);
      rest.append(ledger, "one", List.of(), ada);
      waits = true;
      answer = requestMeanwhile(rest, ledger);
      rest.stop();
      refused(answer.get(60, TimeUnit.SECONDS), 503, "unavailable");
    }
  }

  @Test
  void aClosedLedgerIsStampedAndAPublicOneNeedsATokenToo() throws Exception {
    try (RestService rest = service(1)) {
      String ledger = rest.found("public", true, ada);
      refused(rest.post(ledger + "/times", MAPPER.createObjectNode()), 401, "token_required");
      ObjectNode close = MAPPER.createObjectNode().put("kind", "close");
      long jsn = rest.append(ledger, close, ada);
      Answer answer = request(rest, ledger, ada);
      assertThat(answer.status()).as(answer.text()).isIn(200, 201);
      assertThat(answer.json().get("size").longValue()).isGreaterThan(jsn);
    }
  }
}
