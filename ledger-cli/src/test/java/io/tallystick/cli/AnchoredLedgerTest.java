package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.grpc.ManagedChannel;
import io.tallystick.audit.AuditReport;
import io.tallystick.audit.Auditor;
import io.tallystick.audit.finding.AnchoredTime;
import io.tallystick.audit.finding.FaultKind;
import io.tallystick.audit.options.AuditOptions;
import io.tallystick.audit.report.AuditText;
import io.tallystick.audit.source.RemoteLogSource;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.ServiceChannel;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.crypto.provider.time.Rfc3161Tokens;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.ProofRejectedException;
import io.tallystick.model.ProofRejectedException.Reason;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import io.tallystick.time.TokenRefusedException;
import io.tallystick.time.TrustedTokens;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Goal: a service with a time authority journals its tokens, and auditors who trust that authority
/// find every journal covered. Method: the real service and an authority on loopback; the audit
/// over gRPC and, without tokens, of the exported files.
class AnchoredLedgerTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("trusted");
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir private Path home;
  private HttpServer authority;
  private RunningService service;
  private Path key;

  @BeforeEach
  void start() throws Exception {
    authority = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    authority.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
            byte[] answer = AUTHORITY.answer(query, Instant.now(), recipe -> recipe).toArray();
            exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    authority.start();
    key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    service = open();
  }

  @AfterEach
  void stop() {
    service.close();
    authority.stop(0);
  }

  private RunningService open() throws Exception {
    Path ca = Files.write(home.resolve("ca.der"), AUTHORITY.root().getEncoded());
    String url = "http://127.0.0.1:" + authority.getAddress().getPort() + "/tsr";
    return TallystickService.start(
        LocalNode::open,
        ServiceProperties.of(home.resolve("data"), 0)
            .withTime(
                new TimeProperties(
                    List.of(url),
                    ca.toString(),
                    TokenRecipe.POLICY,
                    Duration.ofSeconds(1),
                    1,
                    TIMEOUT,
                    false,
                    null,
                    null)));
  }

  private Cli cli() {
    return new Cli(service.target(), home.resolve("trust").toString()).withReader(key);
  }

  private static TrustedTokens trusting(TestTimeAuthority trusted) {
    Rfc3161Tokens tokens = new Rfc3161Tokens();
    return (Bytes token, Digest imprint) -> {
      try {
        return tokens.verify(token, imprint, trusted.trusted()).genTimeMs();
      } catch (TokenRefusedException e) {
        throw new ProofRejectedException(Reason.BAD_SIGNATURE, String.valueOf(e.getMessage()), e);
      }
    };
  }

  private AuditReport audit(LedgerId ledger, TestTimeAuthority trusted) throws Exception {
    ManagedChannel channel =
        ServiceChannel.reading(
            ClientConfig.of(service.target(), Path.of("unused")).withReader(ClientKey.load(key)),
            ledger);
    try {
      return new Auditor(SignatureProviders.best())
          .audit(
              ledger,
              new RemoteLogSource(channel, new StrandId(ledger, 0)),
              AuditOptions.defaults()
                  .withTime(io.tallystick.audit.options.TimeOptions.by(trusting(trusted))));
    } finally {
      channel.shutdownNow();
    }
  }

  /// Waits for so many time journals, and until the newest stands above all other journals.
  private AnchoredTime anchored(LedgerId ledger, long times) throws Exception {
    Waiting.until(
        times + " tokens cover every journal",
        () -> {
          AuditReport report = audit(ledger, AUTHORITY);
          assertThat(report.faults()).as(AuditText.of(report)).isEmpty();
          return report.time().judged() == times && report.time().tailJournals() == 1;
        });
    return audit(ledger, AUTHORITY).time();
  }

  private JsonNode health() throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      String answer =
          http.send(
                  HttpRequest.newBuilder(URI.create(service.httpTarget() + "/actuator/health"))
                      .build(),
                  BodyHandlers.ofString())
              .body();
      return JsonMapper.builder().build().readTree(answer).at("/components/time/details");
    }
  }

  @Test
  void tokensCoverEveryJournalAcrossARestart() throws Exception {
    LedgerId ledger =
        LedgerId.fromHex(
            cli()
                .call("ledger", "create", "anchored", "--key", key, "--json")
                .json()
                .get("ledgerId")
                .stringValue());
    anchored(ledger, 1);
    cli().call("append", ledger, "--text", "one", "--key", key).hasStatus(0);
    AnchoredTime one = anchored(ledger, 2);
    assertThat(one.unjudged()).isZero();
    assertThat(one.journals()).as("it and the first time journal").isEqualTo(2);
    assertThat(one.unbounded()).isZero();
    Waiting.until("health tells it", () -> health().has("lastAnchorAgeSeconds"));
    assertThat(health().get("anchored").stringValue()).isEqualTo("yes");

    service.close();
    service = open();
    cli().call("append", ledger, "--text", "two", "--key", key).hasStatus(0);
    assertThat(anchored(ledger, 3).journals()).isEqualTo(4);

    AuditReport stranger = audit(ledger, new TestTimeAuthority("another"));
    assertThat(stranger.firstFault().orElseThrow().kind()).isEqualTo(FaultKind.TIME_TOKEN_REFUSED);

    JsonNode first = cli().call("get", ledger, "2", "--json").json();
    assertThat(first.at("/kind").stringValue()).isEqualTo("time");
    assertThat(first.at("/signers").size()).isEqualTo(1);

    JsonNode last = cli().call("time", "last", ledger, "--json").json();
    assertThat(last.get("jsn").longValue()).isGreaterThan(first.get("jsn").longValue());
    long before = last.get("provenMs").longValue() - 1;
    JsonNode older = cli().call("time", "last", ledger, "--at", before, "--json").json();
    assertThat(older.get("jsn").longValue()).isLessThan(last.get("jsn").longValue());
    assertThat(older.get("provenMs").longValue()).isLessThanOrEqualTo(before);
    cli().call("time", "last", ledger, "--at", 1).hasStatus(3);

    Path files = home.resolve("public");
    cli().call("export", ledger, files, "--bodies").hasStatus(0);
    Cli alone = new Cli("127.0.0.1:1", home.resolve("stranger").toString());
    JsonNode audited = alone.call("audit", ledger, "--tiles", files, "--json").json().get("audit");
    assertThat(audited.get("result").stringValue()).isEqualTo("passed");
    assertThat(audited.get("time").get("unjudged").longValue()).isEqualTo(3);
  }
}
