package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.certificate.CertificateAuthorities;
import io.tallystick.crypto.Sha256;
import io.tallystick.crypto.Signatures;
import io.tallystick.merkle.JournalRoot;
import io.tallystick.model.Authority;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.StrandId;
import io.tallystick.model.TreeSize;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.HostedNode;
import io.tallystick.node.KeptStates;
import io.tallystick.node.LedgerNode;
import io.tallystick.node.NewestHead;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.NodeOptions;
import io.tallystick.node.ProvenTime;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import io.tallystick.proxy.NodeOpener;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.proxy.TimeProperties;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import io.tallystick.testkit.time.TestTimeAuthority;
import io.tallystick.testkit.time.TokenRecipe;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: the service anchors its ledgers as its settings say, and tells an operator how that
/// stands. Method: the real application with a node that offers, or does not offer, time journals,
/// and a time authority on loopback.
class AnchoringTest {
  private static final TestTimeAuthority AUTHORITY = new TestTimeAuthority("A");
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir private Path directory;

  /// A strand that waits until a time journal comes.
  private static final class OneStrand implements TimeJournals {
    private final List<TimeAnchor> anchors = new CopyOnWriteArrayList<>();
    private final long sinceMs = System.currentTimeMillis() - 5_000;

    @Override
    public List<UnanchoredHead> unanchored(@Nullable StrandId after, int limit) {
      StrandId strand = new StrandId(new LedgerId(Digest.ZERO), 0);
      Checkpoint head =
          new Checkpoint(
              new Authority("localhost").origin(strand),
              new TreeSize(2),
              new JournalRoot(Sha256.hash(new byte[0])));
      return anchors.isEmpty() && after == null
          ? List.of(new UnanchoredHead(strand, head, true, 1, sinceMs))
          : List.of();
    }

    @Override
    public NewestHead newest(StrandId strand) {
      throw new UnsupportedOperationException("not asked for here");
    }

    @Override
    public Optional<StampedHead> stamped(StrandId strand, long size) {
      throw new UnsupportedOperationException("not asked for here");
    }

    @Override
    public Optional<ProvenTime> lastAt(StrandId strand, long timeMs) {
      throw new UnsupportedOperationException("not asked for here");
    }

    @Override
    public AnchoredAt append(TimeAnchor anchor) {
      anchors.add(anchor);
      return new AnchoredAt(2, System.currentTimeMillis());
    }
  }

  /// A real node, whose time journals are these.
  private record Offering(HostedNode real, Optional<TimeJournals> journals) implements HostedNode {
    static NodeOpener opener(@Nullable TimeJournals journals) {
      return (NodeFolders folders,
          Authority authority,
          Signatures signatures,
          MeterRegistry meters,
          NodeOptions options) ->
          new Offering(
              LocalNode.open(folders, authority, signatures, meters, options),
              Optional.ofNullable(journals));
    }

    @Override
    public LedgerNode node() {
      return (LedgerNode)
          Proxy.newProxyInstance(
              LedgerNode.class.getClassLoader(),
              new Class<?>[] {LedgerNode.class},
              (_, method, arguments) -> {
                if (method.getName().equals("timeJournals")) {
                  return journals;
                }
                try {
                  return method.invoke(real.node(), arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    @Override
    public void trust(CertificateAuthorities authorities) {
      real.trust(authorities);
    }

    @Override
    public KeptStates keptStates() {
      return real.keptStates();
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }

  private static HttpServer authority(UnaryOperator<TokenRecipe> change) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Bytes query = Bytes.wrap(exchange.getRequestBody().readAllBytes());
            byte[] answer = AUTHORITY.answer(query, Instant.now(), change).toArray();
            exchange.getResponseHeaders().set("Content-Type", "application/timestamp-reply");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
    return server;
  }

  private static String url(HttpServer server) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/tsr";
  }

  private Path ca() throws IOException, CertificateEncodingException {
    return Files.write(directory.resolve("ca.der"), AUTHORITY.root().getEncoded());
  }

  private ServiceProperties properties(Path ca, String... authorities) {
    return ServiceProperties.of(directory.resolve("data"), 0)
        .withTime(
            new TimeProperties(
                List.of(authorities),
                ca.toString(),
                TokenRecipe.POLICY,
                INTERVAL,
                1,
                TIMEOUT,
                false,
                null,
                null));
  }

  private static String get(RunningService service, String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(service.httpTarget() + path)).build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  private static JsonNode time(RunningService service) throws Exception {
    return RestService.MAPPER
        .readTree(get(service, "/actuator/health"))
        .at("/components/time/details");
  }

  @Test
  void saysThatTimeIsNotAnchoredWithoutAnAuthority() throws Exception {
    try (RunningService service =
        TallystickService.start(
            LocalNode::open, ServiceProperties.of(directory.resolve("data"), 0))) {
      assertThat(time(service).get("anchored").stringValue())
          .isEqualTo("time is not anchored: no time authority is configured");
    }
  }

  @Test
  void saysThatTimeIsNotAnchoredWhereTheNodeTakesNoTimeJournals() throws Exception {
    HttpServer authority = authority(recipe -> recipe);
    try (RunningService service =
        TallystickService.start(Offering.opener(null), properties(ca(), url(authority)))) {
      assertThat(time(service).get("anchored").stringValue())
          .isEqualTo("time is not anchored: this node takes no time journals");
      assertThat(get(service, "/actuator/health")).startsWith("{").contains("\"status\":\"UP\"");
    } finally {
      authority.stop(0);
    }
  }

  /// Goal: settings reach the peg, and what it does reaches health and metrics.
  @Test
  void anchorsByTheNextAuthorityAndTells() throws Exception {
    HttpServer lying = authority(recipe -> recipe.at(Instant.now().minusSeconds(3_600)));
    HttpServer honest = authority(recipe -> recipe);
    OneStrand strand = new OneStrand();
    try (RunningService service =
        TallystickService.start(
            Offering.opener(strand), properties(ca(), url(lying), url(honest)))) {
      Waiting.until("it is anchored", () -> time(service).has("lastAnchorAgeSeconds"));
      assertThat(strand.anchors).hasSize(1);
      assertThat(time(service).get("anchored").stringValue()).isEqualTo("yes");
      assertThat(get(service, "/actuator/prometheus"))
          .contains(
              "ledger_time_anchors_total 1.0",
              "ledger_time_failures_total{reason=\"skewed\"} 1.0",
              "ledger_time_failures_total{reason=\"wrong_imprint\"} 0.0",
              "ledger_time_anchor_age_seconds");
    } finally {
      lying.stop(0);
      honest.stop(0);
    }
  }

  @Test
  void aLastingFailureShowsItsReasonAndNothingElseChanges() throws Exception {
    HttpServer lying = authority(recipe -> recipe.with(List.of()));
    try (RunningService service =
        TallystickService.start(Offering.opener(new OneStrand()), properties(ca(), url(lying)))) {
      Waiting.until("it is unanchored", () -> time(service).has("unanchoredSeconds"));
      JsonNode time = time(service);
      assertThat(time.get("anchored").stringValue()).isEqualTo("failing");
      assertThat(time.get("lastFailure").stringValue()).isEqualTo("no_chain");
      assertThat(time.get("unanchoredSeconds").intValue()).isGreaterThanOrEqualTo(5);
      assertThat(get(service, "/actuator/health/readiness")).contains("\"status\":\"UP\"");
    } finally {
      lying.stop(0);
    }
  }

  @Test
  void aFileOfNoCertificatesIsNamedAtTheStart() throws Exception {
    Path absent = directory.resolve("absent.pem");
    assertThatThrownBy(() ->
            TallystickService.start(
                Offering.opener(null), properties(absent, "http://127.0.0.1:1")))
        .isInstanceOf(StartFailedException.class)
        .hasMessage("cannot use " + absent + ": it does not exist");
    Path other = Files.writeString(directory.resolve("other.pem"), "no certificate");
    assertThatThrownBy(() ->
            TallystickService.start(Offering.opener(null), properties(other, "http://127.0.0.1:1")))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("tallystick.time.ca " + other);
  }
}
