package io.tallystick.client.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.model.LedgerId;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Goal: tests get a service, a client and ledgers of their own, and nothing of it is left. Method:
/// tests that ask for each, and a service that is closed.
class TallystickExtensionTest {
  private static final Set<LedgerId> SEEN = ConcurrentHashMap.newKeySet();

  @RegisterExtension static final TallystickExtension TALLYSTICK = new TallystickExtension();

  private static String target = "";

  @BeforeAll
  static void before() {
    target = TALLYSTICK.target();
  }

  @BeforeEach
  void prepare(LedgerHandle ledger) throws Exception {
    ledger.append(JournalDraft.text("prepared"));
  }

  @Test
  void aTestHasTheLedgerThatItsPreparationHad(LedgerHandle ledger, ClientKey key) throws Exception {
    assertThat(ledger.get(2).body().orElseThrow().toString()).contains("prepared");
    assertThat(ledger.get(2).signers()).containsExactly(key.kid());
    assertThat(SEEN.add(ledger.id())).isTrue();
  }

  @Test
  void anotherTestHasAnother(LedgerHandle ledger, TallyClient client, LocalTallystick service)
      throws Exception {
    assertThat(SEEN.add(ledger.id())).isTrue();
    ledger.state().put("a key", "a value");
    assertThat(ledger.state().get("a key").text()).contains("a value");
    assertThat(client.serviceDescription().authority()).hasToString("localhost");
    assertThat(service.target()).isEqualTo(target).startsWith("127.0.0.1:");
    assertThat(status(service)).isEqualTo(200);
  }

  private static int status(LocalTallystick service) throws Exception {
    URI uri = URI.create(service.restTarget() + "/v1/service");
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void aClosedServiceIsGone(@TempDir Path home) throws Exception {
    LocalTallystick other = LocalTallystick.start("--tallystick.authority=localhost");
    String there = other.target();
    assertThat(there).isNotEqualTo(target);
    other.close();
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(there, home).withRetry(RetryPolicy.NONE))) {
      assertThatThrownBy(client::serviceDescription)
          .isInstanceOf(ServiceUnavailableException.class);
    }
  }

  @Test
  void aServiceThatCannotStartSaysWhy() {
    assertThatThrownBy(() -> LocalTallystick.start("--tallystick.reads=never"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Tallystick does not start: ")
        .hasMessageContaining("never");
    assertThatThrownBy(new TallystickExtension()::target).isInstanceOf(IllegalStateException.class);
  }
}
