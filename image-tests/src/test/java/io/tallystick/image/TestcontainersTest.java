package io.tallystick.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.testcontainers.TallystickContainer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an application's test that starts the image by our module has a service. Method: it is
/// started on the host's network, because the engine of these tests has no other.
class TestcontainersTest {
  @TempDir private Path home;

  @Test
  void aTestHasAServiceThatItsKeyMayFoundLedgersOn() throws Exception {
    try (TallystickContainer service =
        new TallystickContainer(Image.load())
            .withNetworkMode("host")
            .withEnv("TALLY_SHUTDOWN_DELAY", "0")
            .withCommand("up", "--port", "0", "--http-port", "0", "--management-port", "0")) {
      service.start();
      try (TallyClient client = TallyClient.connect(service.config(home.resolve("trust")))) {
        assertThat(client.serviceDescription().authority()).hasToString("localhost");
        LedgerHandle ledger =
            client.createLedger("tested", List.of(service.key()), LedgerOptions.DEFAULT);
        assertThat(ledger.append(JournalDraft.text("a journal")).jsn().value()).isEqualTo(2);
      }
      assertThat(service.restTarget()).startsWith("https://localhost:").doesNotEndWith(":0");
    }
  }
}
