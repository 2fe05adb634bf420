package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.cli.terminal.ExitCode;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: over TLS a client talks to the service that its issuers vouch for and to no other, and a
/// renewed certificate needs no restart. Method: the real service, the `tally` command over gRPC
/// and HTTPS, certificates made by keytool.
class TlsTest {
  private static final int ANSWER_MS_MAX = 10_000;

  @TempDir private static Path certificates;
  private static SelfSigned server;
  private static SelfSigned renewed;
  private static SelfSigned client;

  @TempDir private Path home;

  @BeforeAll
  static void make() throws Exception {
    server = SelfSigned.make(certificates, "server", "ip:127.0.0.1,dns:localhost");
    renewed = SelfSigned.make(certificates, "renewed", "ip:127.0.0.1", 4);
    client = SelfSigned.make(certificates, "client", "dns:client.example.com");
  }

  private RunningService start(SelfSigned pair, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--tallystick.data-dir=" + home.resolve("data"),
                "--tallystick.port=0",
                "--tallystick.tls.certificate=" + pair.certificate(),
                "--tallystick.tls.private-key=" + pair.privateKey()));
    arguments.addAll(List.of(more));
    return TallystickService.start(LocalNode::open, arguments.toArray(String[]::new));
  }

  private Cli.Result call(RunningService service, Object... words) {
    return new Cli(service.target(), home.resolve("trust").toString()).call(words);
  }

  private Cli.Result list(RunningService service, SelfSigned issuer) {
    return call(service, "ledger", "list", "--tls-ca", issuer.certificate());
  }

  private Cli.Result auditNobody(RunningService service, SelfSigned issuer) {
    String url = service.httpTarget() + "/l/" + "00".repeat(32) + "/0";
    return call(service, "audit", url, "--tls-ca", issuer.certificate());
  }

  @Test
  void bothPortsSpeakTlsToWhoKnowsTheIssuer() throws Exception {
    Path key = home.resolve("owner.pem");
    Cli.run("keygen", key).hasStatus(0);
    Path ca = server.certificate();
    try (RunningService service = start(server)) {
      assertThat(service.httpTarget()).startsWith("https://127.0.0.1:");
      String ledger =
          call(service, "ledger", "create", "tls", "--key", key, "--tls-ca", ca, "--json")
              .json()
              .get("ledgerId")
              .stringValue();
      Object[] audit = {"audit", ledger, "--reader-key", key, "--tls-ca", ca};
      assertThat(call(service, audit).hasStatus(0).out()).startsWith("AUDIT PASSED");
      audit[1] = service.httpTarget() + "/l/" + ledger + "/0";
      assertThat(call(service, audit).hasStatus(0).out()).startsWith("AUDIT PASSED");
      // Issuers that vouch for somebody else, over HTTPS and gRPC; Java's own; none.
      audit[5] = client.certificate();
      call(service, audit).hasStatus(ExitCode.UNAVAILABLE);
      assertThat(list(service, client).hasStatus(ExitCode.UNAVAILABLE).err())
          .contains("unable to find valid certification path");
      call(service, "ledger", "list", "--tls").hasStatus(ExitCode.UNAVAILABLE);
      call(service, "ledger", "list").hasStatus(ExitCode.UNAVAILABLE);
    }
  }

  /// The certificate is for 127.0.0.1 alone.
  @Test
  void eachOfSeveralAddressesIsKnownByItsOwnName() throws Exception {
    try (RunningService service = start(renewed)) {
      String trust = home.resolve("trust").toString();
      Object[] list = {"ledger", "list", "--tls-ca", renewed.certificate()};
      int port = service.port();
      for (String right : List.of("localhost:1,127.0.0.1:", "nobody.invalid:1,127.0.0.1:")) {
        new Cli(right + port, trust).call(list).hasStatus(ExitCode.OK);
      }
      for (String wrong : List.of("127.0.0.1:1,localhost:", "dns:///localhost:")) {
        new Cli(wrong + port, trust).call(list).hasStatus(ExitCode.UNAVAILABLE);
      }
    }
  }

  @Test
  void filesThatAreNoCertificatesAreToldByTheirNames() throws Exception {
    Path none = Files.writeString(home.resolve("none.pem"), "no certificate");
    try (RunningService service = start(server)) {
      assertThat(call(service, "ledger", "list", "--tls-ca", none).hasStatus(ExitCode.FILE).err())
          .contains("none.pem holds no certificates in PEM");
      call(service, "ledger", "list", "--tls-ca", home.resolve("x")).hasStatus(ExitCode.FILE);
      call(service, "ledger", "list", "--tls-certificate", client.certificate())
          .hasStatus(ExitCode.USAGE);
    }
  }

  @Test
  void withIssuersOfClientsOnlyThoseWithACertificateGetIn() throws Exception {
    try (RunningService service =
        start(server, "--tallystick.tls.client-ca=" + client.certificate())) {
      Object[] known = {
        "ledger",
        "list",
        "--tls-ca",
        server.certificate(),
        "--tls-certificate",
        client.certificate(),
        "--tls-private-key",
        client.privateKey()
      };
      call(service, known).hasStatus(0);
      list(service, server).hasStatus(ExitCode.UNAVAILABLE);
      known[5] = renewed.certificate();
      known[7] = renewed.privateKey();
      call(service, known).hasStatus(ExitCode.UNAVAILABLE);
      assertThat(auditNobody(service, server).hasStatus(ExitCode.UNAVAILABLE).err())
          .doesNotContain("status 401");
      known[0] = "audit";
      known[1] = service.httpTarget() + "/l/" + "00".repeat(32) + "/0";
      known[5] = client.certificate();
      known[7] = client.privateKey();
      assertThat(call(service, known).hasStatus(ExitCode.UNAVAILABLE).err()).contains("status 401");
    }
  }

  private static double hoursLeft(RunningService service) {
    return service.meters().get("ledger.tls.certificate.left").timeGauge().value(TimeUnit.HOURS);
  }

  @Test
  void aRenewedCertificateIsTakenWithoutARestart() throws Exception {
    SelfSigned used = new SelfSigned(home.resolve("crt"), home.resolve("key"));
    server.replace(used);
    try (RunningService service = start(used)) {
      list(service, server).hasStatus(0);
      assertThat(hoursLeft(service)).isBetween(47.0, 48.0);
      renewed.replace(used);
      Waiting.until("gRPC has it", () -> list(service, renewed).status() == 0);
      assertThat(hoursLeft(service)).isBetween(95.0, 96.0);
      list(service, server).hasStatus(ExitCode.UNAVAILABLE);
      Waiting.until(
          "REST has it", () -> auditNobody(service, renewed).err().contains("status 401"));
    }
  }

  @Test
  void beyondLoopbackTlsIsDemanded() throws Exception {
    String data = "--tallystick.data-dir=" + home.resolve("data");
    assertThatThrownBy(
            () -> TallystickService.start(LocalNode::open, data, "--tallystick.address=0.0.0.0"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("that needs tallystick.tls.certificate");
    assertThatThrownBy(
            () -> start(server, "--tallystick.address=0.0.0.0", "--tallystick.reads=anyone"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("which only a loopback address may have");
  }

  @Test
  void noSettingOpensAPortWithoutTls() throws Exception {
    assertThatThrownBy(() -> start(server, "--management.server.port=0"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("management.server.port is set");
    try (RunningService service =
        start(
            server,
            "--tallystick.tls.client-ca=" + client.certificate(),
            "--server.ssl.enabled=false",
            "--server.ssl.client-auth=none",
            "--spring.ssl.bundle.pem.tallystick.truststore.certificate=")) {
      HttpRequest plain =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + service.httpPort() + "/v1/service"))
              .build();
      try (HttpClient http = HttpClient.newHttpClient()) {
        assertThat(http.send(plain, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
      }
      assertThat(auditNobody(service, server).hasStatus(ExitCode.UNAVAILABLE).err())
          .doesNotContain("status 401");
    }
  }

  @Test
  void aCertificateThatCannotBeUsedEndsTheStart() {
    for (SelfSigned pair :
        List.of(
            new SelfSigned(home.resolve("none"), server.privateKey()),
            new SelfSigned(server.certificate(), client.privateKey()),
            new SelfSigned(server.privateKey(), server.certificate()))) {
      assertThatThrownBy(() -> start(pair))
          .isInstanceOf(StartFailedException.class)
          .hasMessageNotContaining("bean");
    }
  }

  @Test
  void plainBytesEndTheirConnectionOnly() throws Exception {
    try (RunningService service = start(server)) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), service.port())) {
        byte[] plain = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        socket.setSoTimeout(ANSWER_MS_MAX);
        socket.getOutputStream().write(plain);
        assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(100);
      }
      list(service, server).hasStatus(0);
    }
  }
}
