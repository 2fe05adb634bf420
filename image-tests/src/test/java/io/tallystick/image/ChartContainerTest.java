package io.tallystick.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.TlsOptions;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RequestRefusedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what the chart makes is a service that a cluster can start, ask, reach and end. Method:
/// the rendered manifests of helm/check, whose pod runs in a Docker engine as a kubelet would run
/// it.
class ChartContainerTest {
  private static final int BY_SIGTERM = 128 + 15;
  private static final Duration RENEWAL = Duration.ofMinutes(2);
  private static final Path RENDERED = Path.of(System.getProperty("tallystick.manifests"));
  private static final String TLS_SECRET = "secret/tallystick-tls";

  private static Certificate server;
  private static Certificate client;
  private static Map<String, String> keys;

  @TempDir private Path home;

  @BeforeAll
  static void prepare() throws Exception {
    String image = Image.load();
    keys = Image.newKeys(image);
    server = serverCertificate();
    client = Certificate.of("client", "client.example.com");
  }

  /// For the Service's name in the cluster, and for the way that this test takes.
  private static Certificate serverCertificate() throws Exception {
    return Certificate.of("service", "tallystick.ledgers.svc", "localhost");
  }

  private static Map<String, Map<String, String>> secrets() {
    Map<String, Map<String, String>> secrets = new HashMap<>();
    secrets.put("secret/tallystick-keys", keys);
    secrets.put(TLS_SECRET, server.secret());
    return secrets;
  }

  private TlsOptions tls(Certificate issuer) throws IOException {
    return TlsOptions.of(
        Files.writeString(home.resolve("ca.crt"), issuer.chain()),
        Files.writeString(home.resolve("client.crt"), client.chain()),
        Files.writeString(home.resolve("client.key"), client.key()));
  }

  private ClientConfig config(Kubelet kubelet) throws IOException {
    return ClientConfig.of(kubelet.target("grpc"), home.resolve("trust")).withTls(tls(server));
  }

  private int rest(Kubelet kubelet, String path) throws Exception {
    try (HttpClient http = HttpClient.newBuilder().sslContext(tls(server).context()).build()) {
      URI uri = URI.create("https://" + kubelet.target("rest") + path);
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void eachRenderedPodIsUnderstoodWhole() throws IOException {
    try (Stream<Path> files = Files.list(RENDERED)) {
      List<Path> rendered = files.filter(Files::isRegularFile).toList();
      assertThat(rendered).hasSizeGreaterThan(4);
      for (Path file : rendered) {
        Pod pod = new Manifests(file).pod();
        assertThat(pod.container().ports()).containsOnlyKeys("grpc", "rest", "management");
      }
    }
  }

  @Test
  void theSmallestServesTakesANewCertificateAndEndsInTime() throws Exception {
    Pod pod = new Manifests(RENDERED.resolve("minimal.yaml")).pod();
    Map<String, Map<String, String>> objects = secrets();
    try (Kubelet kubelet = new Kubelet(pod, home.resolve("pod"), objects)) {
      kubelet.awaitReady();
      try (TallyClient client = TallyClient.connect(config(kubelet))) {
        assertThat(client.serviceDescription().authority().value()).isEqualTo("ledger.example.com");
        // It has no founders.
        assertThatThrownBy(() ->
                client.createLedger("x", List.of(ClientKey.generate()), LedgerOptions.DEFAULT))
            .isInstanceOfSatisfying(
                RequestRefusedException.class,
                refused -> assertThat(refused.code()).isEqualTo("founding_not_allowed"));
      }
      assertThat(rest(kubelet, "/v1/service")).isEqualTo(200);
      assertThat(rest(kubelet, "/actuator/prometheus")).isEqualTo(404);

      Certificate renewed = serverCertificate();
      objects.put(TLS_SECRET, renewed.secret());
      kubelet.update(TLS_SECRET);
      for (String port : List.of("grpc", "rest")) {
        Waiting.until(
            port + " shows the new certificate",
            RENEWAL,
            () -> renewed.certificate().equals(shown(kubelet.target(port))));
      }
      assertThat(kubelet.terminate()).as(kubelet.log()).isEqualTo(BY_SIGTERM);
      assertThat(kubelet.ranOutOfMemory()).isFalse();
      assertThat(kubelet.bytesTooMany()).isZero();
    }
  }

  /// The certificate that a new connection gets.
  private static X509Certificate shown(String target) throws Exception {
    int colon = target.indexOf(':');
    try (SSLSocket socket =
        (SSLSocket)
            Anyone.context()
                .getSocketFactory()
                .createSocket(
                    target.substring(0, colon), Integer.parseInt(target.substring(colon + 1)))) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2", "http/1.1"});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  @Test
  void theFullestIsFoundedAppendedToAndAudited() throws Exception {
    Manifests manifests = new Manifests(RENDERED.resolve("full.yaml"));
    ClientKey owner = ClientKey.generate();
    Certificate other = Certificate.of("authority");
    Map<String, Map<String, String>> objects = secrets();
    objects.putAll(manifests.configMaps());
    objects.put("configMap/client-issuers", Map.of("ca.crt", client.chain()));
    objects.put("configMap/people", Map.of("staff.pem", other.chain()));
    objects.put("secret/partners", Map.of("ca.crt", other.chain()));
    objects.put("secret/time-authorities", Map.of("roots.pem", other.chain()));
    objects.put("configMap/t-ledger", Map.of("submitters.txt", "anybody 10\n"));
    objects.put("secret/t-ledger-invitation", Map.of("invitation", "5e".repeat(32)));
    objects.computeIfPresent(
        "configMap/tallystick-founders",
        (_, files) ->
            Map.of(
                "founders.txt",
                Objects.requireNonNull(files.get("founders.txt"))
                    + "founder "
                    + owner.kid().hex()
                    + "\n"));
    try (Kubelet kubelet = new Kubelet(manifests.pod(), home.resolve("pod"), objects)) {
      kubelet.awaitReady();
      ClientConfig config = config(kubelet).withReader(owner);
      try (TallyClient connected = TallyClient.connect(config)) {
        LedgerHandle ledger =
            connected.createLedger("chart", List.of(owner), LedgerOptions.DEFAULT);
        VerifiedReceipt receipt = ledger.append(JournalDraft.text("through the declared port"));
        Audits.pass(config, ledger.id(), receipt.head());
      }
      assertThat(rest(kubelet, "/v1/service")).isEqualTo(200);
      assertThat(kubelet.ranOutOfMemory()).isFalse();
      assertThat(kubelet.bytesTooMany()).isZero();
    }
  }
}
