package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.proxy.RunningService;
import io.tallystick.proxy.StartFailedException;
import io.tallystick.proxy.TallystickService;
import io.tallystick.server.host.LocalNode;
import io.tallystick.testkit.Waiting;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a client learns to go elsewhere before anything is refused, and loses no attempt by it.
/// Method: a client that never tries twice, on a service that is told to end, and on one whose
/// connections get old under load.
class LeavingTest {
  private static final int IN_FLIGHT = 64;

  @TempDir private Path home;

  private RunningService start(String setting) throws Exception {
    return TallystickService.start(
        LocalNode::open,
        "--tallystick.data-dir=" + home.resolve("data"),
        "--tallystick.port=0",
        "--tallystick." + setting);
  }

  private TallyClient client(RunningService service) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), home.resolve("trust")).withRetry(RetryPolicy.NONE));
  }

  private static int readiness(RunningService service) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(service.httpTarget() + "/actuator/health/readiness"))
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void isNotReadyButAnswersForTheDelay() throws Exception {
    RunningService service = start("shutdown-delay=5m");
    try (TallyClient client = client(service)) {
      LedgerHandle ledger =
          client.createLedger("x", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      assertThat(readiness(service)).isEqualTo(200);
      Thread closing = Thread.ofPlatform().start(service::close);
      Waiting.until("it is not ready", () -> readiness(service) == 503);
      assertThat(ledger.append(JournalDraft.text("still answered")).jsn().value()).isPositive();
      assertThat(closing.isAlive()).isTrue();
      closing.interrupt(); // ends the delay
      closing.join(TimeUnit.MINUTES.toMillis(1));
      assertThat(closing.isAlive()).isFalse();
    }
  }

  /// A stream that broke would fail what was under way on it: there is no second attempt.
  @Test
  void noAttemptIsLostToTheAgeOfConnections() throws Exception {
    try (RunningService service = start("connection-age=1s");
        TallyClient client = client(service)) {
      LedgerHandle ledger =
          client.createLedger("x", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      Deque<CompletableFuture<VerifiedReceipt>> sent = new ArrayDeque<>();
      while (streamsEnded(service) < 2) {
        sent.add(ledger.appendAsync(JournalDraft.text("under way")));
        if (sent.size() == IN_FLIGHT) {
          sent.remove().get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
        }
      }
      for (CompletableFuture<VerifiedReceipt> each : sent) {
        each.get(Waiting.MAX.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private static long streamsEnded(RunningService service) {
    return service
        .meters()
        .find("ledger.call")
        .tag("method", m -> m.endsWith("Append"))
        .timers()
        .stream()
        .mapToLong(timer -> timer.count())
        .sum();
  }

  @Test
  void refusesTimesThatAreNone() {
    assertThatThrownBy(() -> start("shutdown-delay=-1s"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("tallystick.shutdown-delay is PT-1S, want 0 to 300 s");
    assertThatThrownBy(() -> start("connection-age=10ms"))
        .isInstanceOf(StartFailedException.class)
        .hasMessageContaining("tallystick.connection-age is PT0.01S, want 1 s or more");
  }
}
