package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.GpuMode;
import io.tallystick.proxy.NodeOpener;
import io.tallystick.proxy.ServiceProperties;
import io.tallystick.proxy.ServiceProperties.Reads;
import io.tallystick.server.host.LocalNode;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.testkit.hashing.FakeDevice;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/// Goal: an operator sees what hashes, and a GPU that fails costs nobody an answer. Method: a real
/// service on a device that computes on the CPU and is lost while journals are appended.
class GpuTest {
  private static final int CALLS = 40; // some 8 journals
  private static final int JOURNALS_MAX = 100;

  @TempDir private Path data;
  private final Signer owner = RestService.key(SignatureAlgorithm.ED25519);

  private static NodeOpener on(FakeDevice device) {
    return (folders, authority, signatures, meters, options) ->
        LocalNode.open(
            folders,
            authority,
            NodeSeams.production(
                options.gpu(),
                (asked, _, onLost) -> {
                  assertThat(asked).isEqualTo(GpuMode.AUTO);
                  return Gpu.over(device, onLost);
                }),
            signatures,
            meters);
  }

  private ServiceProperties properties() {
    return ServiceProperties.of(data, 0).withReads(Reads.ANYONE);
  }

  private static JsonNode gpu(RestService rest) throws Exception {
    RestService.Answer health = rest.get("/actuator/health");
    assertThat(health.status()).isEqualTo(200);
    return health.json().get("components").get("gpu");
  }

  private void append(RestService rest, String ledger, String text) throws Exception {
    assertThat(rest.post(ledger + "/journals", rest.prepared(ledger, text, owner)).status())
        .isEqualTo(201);
  }

  @Test
  void aLostGpuIsToldOnceAndCostsNoAnswer() throws Exception {
    FakeDevice device = new FakeDevice(1, CALLS);
    String ledger;
    try (RestService rest = new RestService(on(device), properties())) {
      ListAppender<ILoggingEvent> lines = new ListAppender<>();
      lines.start();
      ((Logger) LoggerFactory.getLogger("io.tallystick")).addAppender(lines);
      ledger = rest.found("hashed", owner);
      assertThat(gpu(rest).get("details").toString())
          .isEqualTo("{\"active\":true,\"device\":\"fake\"}");
      assertThat(rest.get("/actuator/prometheus").text())
          .contains("ledger_gpu_active{device=\"fake\"} 1.0", "ledger_gpu_fallbacks_total 0.0");
      for (int i = 0; i < JOURNALS_MAX && device.calls() <= CALLS; i++) {
        append(rest, ledger, "journal " + i);
      }
      assertThat(device.calls()).isEqualTo(CALLS + 1);
      append(rest, ledger, "one more");
      assertThat(device.calls()).isEqualTo(CALLS + 1);
      assertThat(gpu(rest).get("status").stringValue()).isEqualTo("UP");
      assertThat(gpu(rest).get("details").toString())
          .isEqualTo("{\"active\":false,\"why\":\"fake was lost: after 40 calls\"}");
      assertThat(rest.get("/actuator/prometheus").text())
          .contains("ledger_gpu_active{device=\"fake\"} 0.0", "ledger_gpu_fallbacks_total 1.0");
      assertThat(rest.get("/actuator/health/readiness").status()).isEqualTo(200);
      assertThat(List.copyOf(lines.list))
          .filteredOn(event -> event.getLevel() == Level.WARN)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly(
              "the GPU failed; the CPU hashes in bulk until a restart: after 40 calls");
    }
    assertThat(device.lent()).isZero();
    try (RestService rest = new RestService(properties())) {
      append(rest, ledger, "after a restart");
      assertThat(gpu(rest).get("details").get("why").stringValue()).isNotEmpty();
    }
  }
}
