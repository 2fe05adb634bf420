package io.tallystick.proxy.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.Signer;
import io.tallystick.proxy.verify.ServerVerifier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Goal: nobody fills the service's log. Method: bad evidence for a public ledger, shown again and
/// again without a token.
class LogFloodTest {
  private static final int SHOWN = 60;

  /// Ten a minute, and the test may run into a second one.
  private static final int LINES_MAX = 30;

  @TempDir private Path data = Path.of("");

  @Test
  void badEvidenceIsCountedAndSeldomTold() throws Exception {
    Signer owner = RestService.key(SignatureAlgorithm.ED25519);
    try (RestService rest = new RestService(data)) {
      ListAppender<ILoggingEvent> lines = new ListAppender<>();
      lines.start();
      ((Logger) LoggerFactory.getLogger(ServerVerifier.class)).addAppender(lines);
      String ledger = rest.found("flooded", true, owner);
      ObjectNode bad = JsonMapper.builder().build().createObjectNode();
      bad.put("receiptFile", "AA==");
      for (int i = 0; i < SHOWN; i++) {
        assertThat(rest.post(ledger + ":verify", bad).text()).contains("\"reason\":\"malformed\"");
      }
      assertThat(List.copyOf(lines.list)).isNotEmpty().hasSizeLessThan(LINES_MAX);
      assertThat(rest.get("/actuator/prometheus").text())
          .contains("ledger_verify_failures_total " + SHOWN + ".0");
    }
  }
}
