package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.tallystick.api.v1.GetCheckpointRequest;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.model.Bytes;
import io.tallystick.model.MalformedException;
import io.tallystick.note.Checkpoint;
import io.tallystick.note.SignedNote;
import io.tallystick.note.Witnesses;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.WitnessProperties;
import io.tallystick.testkit.TestWitness;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Goal: the service shows the cosignatures of its witnesses, and an operator sees how it stands
/// with them. Method: the real application, and a witness on loopback that believes everything.
class WitnessesTest {
  private static final TestWitness WITNESS = TestWitness.of("one.example");
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir private Path data;
  private final Signatures signatures = SignatureProviders.best();
  private final Signer owner = RestService.key(SignatureAlgorithm.ED25519);
  private HttpServer server;
  private volatile String refusal = "";

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/add-checkpoint",
        exchange -> {
          try (exchange) {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String said = refusal.isEmpty() ? cosigned(body) : refusal;
            byte[] answer = said.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(refusal.isEmpty() ? 200 : 409, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
  }

  private static String cosigned(String body) {
    String note = body.substring(body.indexOf("\n\n") + 2);
    String all = WITNESS.cosigned(Bytes.utf8(note), 1_767_225_600);
    return all.substring(all.lastIndexOf('—'));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private ServiceProperties properties(String ledger, Duration interval) {
    String witness = WITNESS.key().vkey() + " http://127.0.0.1:" + server.getAddress().getPort();
    String id = ledger.substring(ledger.lastIndexOf('/') + 1);
    return ServiceProperties.of(data, 0)
        .withReads(ServiceProperties.Reads.ANYONE)
        .withWitness(new WitnessProperties(List.of(witness), List.of(id), 1, interval, TIMEOUT));
  }

  private String founded() throws Exception {
    try (RestService rest = new RestService(data)) {
      String ledger = rest.found("witnessed", owner);
      assertThat(health(rest).get("witnessed").stringValue()).isEqualTo("no witness is configured");
      return ledger;
    }
  }

  private static JsonNode health(RestService rest) throws Exception {
    return rest.get("/actuator/health").json().at("/components/witness/details");
  }

  private static SignedNote note(String text) throws MalformedException {
    return SignedNote.decode(Bytes.utf8(text));
  }

  private static long size(SignedNote note) throws MalformedException {
    return Checkpoint.parse(note.text()).size().value();
  }

  @Test
  void everyFrontShowsTheCosignedHead() throws Exception {
    String ledger = founded();
    String id = ledger.substring(ledger.lastIndexOf('/') + 1);
    Witnesses witnesses = new Witnesses(List.of(WITNESS.key()), 1);
    try (RestService rest = new RestService(properties(ledger, Duration.ofDays(1)))) {
      for (String path : List.of(ledger + "/checkpoint", "/l/" + id + "/0/checkpoint")) {
        for (String query : List.of("", "?cosigned=true")) {
          SignedNote note = note(rest.get(path + query).text());
          assertThat(witnesses.verify(note, signatures)).hasSize(1);
          assertThat(note.signatures()).hasSize(2);
        }
      }
      rest.post(ledger + "/journals", rest.prepared(ledger, "hello", owner));
      for (String path : List.of(ledger + "/checkpoint", "/l/" + id + "/0/checkpoint")) {
        SignedNote newest = note(rest.get(path).text());
        assertThat(newest.signatures()).hasSize(1);
        SignedNote cosigned = note(rest.get(path + "?cosigned=true").text());
        assertThat(witnesses.verify(cosigned, signatures)).hasSize(1);
        assertThat(size(cosigned)).isEqualTo(size(newest) - 2);
      }
      assertThat(rest.get(ledger + "/checkpoint?cosigned=yes").status()).isEqualTo(400);
      JsonNode details = health(rest);
      assertThat(details.get("witnessed").stringValue()).isEqualTo("yes");
      assertThat(details.at("/ledgers/" + id + "/cosignedSize").longValue()).isEqualTo(2);
      assertThat(rest.get("/actuator/prometheus").text())
          .contains(
              "ledger_witness_cosignatures_total 1.0",
              "ledger_witness_failures_total{reason=\"slow\"} 0.0",
              "ledger_witness_readonly_ledgers 0.0");
    }
  }

  @Test
  void grpcShowsTheCosignedHeadOnlyWhenAsked() throws Exception {
    String ledger = founded();
    Witnesses witnesses = new Witnesses(List.of(WITNESS.key()), 1);
    try (RestService rest = new RestService(properties(ledger, Duration.ofDays(1)))) {
      ManagedChannel channel = NettyChannelBuilder.forTarget(rest.target()).usePlaintext().build();
      try {
        var journals = JournalServiceGrpc.newBlockingStub(channel);
        assertThat(witnesses.verify(note(journals, ledger, false), signatures)).hasSize(1);
        rest.post(ledger + "/journals", rest.prepared(ledger, "hello", owner));
        SignedNote newest = note(journals, ledger, false);
        assertThat(newest.signatures()).hasSize(1);
        SignedNote cosigned = note(journals, ledger, true);
        assertThat(witnesses.verify(cosigned, signatures)).hasSize(1);
        assertThat(size(cosigned)).isEqualTo(size(newest) - 2);
      } finally {
        channel.shutdownNow();
      }
    }
  }

  private static SignedNote note(
      JournalServiceGrpc.JournalServiceBlockingStub journals, String ledger, boolean cosigned)
      throws MalformedException {
    byte[] id = HexFormat.of().parseHex(ledger.substring(ledger.lastIndexOf('/') + 1));
    GetCheckpointRequest request =
        GetCheckpointRequest.newBuilder()
            .setLedgerId(ByteString.copyFrom(id))
            .setCosigned(cosigned)
            .build();
    return SignedNote.decode(Bytes.wrap(journals.getCheckpoint(request).getNote().toByteArray()));
  }

  @Test
  void aWitnessThatHasSeenMoreMakesTheLedgerReadOnly() throws Exception {
    String ledger = founded();
    String id = ledger.substring(ledger.lastIndexOf('/') + 1);
    refusal = "77\n";
    try (RestService rest = new RestService(properties(ledger, Duration.ofDays(1)))) {
      var answer = rest.post(ledger + "/journals", rest.prepared(ledger, "hello", owner));
      assertThat(answer.status()).isEqualTo(409);
      assertThat(answer.json().get("code").stringValue()).isEqualTo("read_only");
      assertThat(answer.json().get("limit").longValue()).isEqualTo(77);
      JsonNode details = health(rest);
      assertThat(details.get("witnessed").stringValue()).isEqualTo("read-only: 1 of 1");
      assertThat(details.at("/ledgers/" + id + "/seenSize").longValue()).isEqualTo(77);
      assertThat(details.at("/ledgers/" + id + "/seenBy").stringValue()).isEqualTo("one.example");
      assertThat(rest.get("/actuator/health/readiness").status()).isEqualTo(200);
      assertThat(rest.get("/actuator/prometheus").text())
          .contains("ledger_witness_readonly_ledgers 1.0");
    }
  }
}
