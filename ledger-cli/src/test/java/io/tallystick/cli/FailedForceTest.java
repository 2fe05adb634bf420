package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.tallystick.api.v1.JournalServiceGrpc;
import io.tallystick.api.v1.LedgerServiceGrpc;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a disk that fails a force costs nobody anything he was promised, and the service never
/// trusts it a third time. Method: in a real process under load a force of the commit stream fails
/// when a file appears. After the first the shard reopens itself; after the second it only reads,
/// until it is started again. Source: `docs/architecture.md`, "Failed force".
class FailedForceTest {
  private static final int READ_PER_ROUND = 25;
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofSeconds(45));

  @TempDir private Path home;

  @Seeded(runs = 1)
  void reopensOnceThenOnlyReadsUntilItIsStartedAgain(SplittableRandom random) throws Exception {
    Controls controls = new Controls(Files.createDirectory(home.resolve("control")));
    Path log = home.resolve("service.log");
    ServiceProcess service = startFaulty(controls, log);
    int port = service.port();
    String target = service.target();
    try (TallyClient client = client(service, PATIENT)) {
      List<ClientKey> owners = List.of(ClientKey.generate());
      LedgerHandle ledger = client.createLedger("force", owners, LedgerOptions.DEFAULT);
      Load load = new Load(ledger, owners.getFirst());
      try {
        load.start(3, 2, 1, random);
        Books.awaitProgress(load);

        controls.failNextForce();
        Waiting.until("a force has failed", controls::forceHasFailed);
        Waiting.until(
            "the shard reopens", () -> Files.readString(log).contains("reopens from disk"));
        Books.awaitProgress(load);
        assertThat(health(target, "")).isEqualTo(ServingStatus.SERVING);
        Books.verifySome(ledger, load, READ_PER_ROUND, random);

        controls.failNextForce();
        Waiting.until("the shard only reads", () -> health(target, "") != ServingStatus.SERVING);
        assertThat(health(target, JournalServiceGrpc.SERVICE_NAME))
            .isEqualTo(ServingStatus.NOT_SERVING);
        assertThat(health(target, LedgerServiceGrpc.SERVICE_NAME)).isEqualTo(ServingStatus.SERVING);
        Books.verifySome(ledger, load, READ_PER_ROUND, random);
        assertRefusesAppends(service, ledger, owners);

        service.close();
        service = ServiceProcess.start(home.resolve("data"), log, port);
        Books.awaitProgress(load);
      } finally {
        load.stop();
      }
      Books.close(service, load);
    } finally {
      service.close();
    }
  }

  private ServiceProcess startFaulty(Controls controls, Path log) throws Exception {
    return ServiceProcess.start(
        home.resolve("data"),
        log,
        0,
        FaultyService.class,
        List.of(controls.folder().toString(), "0", "1000"));
  }

  private TallyClient client(ServiceProcess service, RetryPolicy retry) {
    return client(service, retry, "trust");
  }

  private TallyClient client(ServiceProcess service, RetryPolicy retry, String trust) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), home.resolve(trust)).withRetry(retry));
  }

  /// One that does not repeat is told that it is unavailable, and that its outcome is open.
  private void assertRefusesAppends(
      ServiceProcess service, LedgerHandle ledger, List<ClientKey> owners) throws Exception {
    try (TallyClient once = client(service, RetryPolicy.NONE, "trust-once")) {
      LedgerHandle same = once.open(ledger.id(), owners.getFirst());
      ServiceUnavailableException refusal =
          catchThrowableOfType(
              ServiceUnavailableException.class, () -> same.append(JournalDraft.text("refused")));
      assertThat(refusal).hasMessageContaining("takes no appends");
      assertThat(refusal.outcomeUnknown()).isTrue();
    }
  }

  private static ServingStatus health(String target, String name) {
    ManagedChannel channel =
        Grpc.newChannelBuilder(target, InsecureChannelCredentials.create()).build();
    try {
      return HealthGrpc.newBlockingStub(channel)
          .check(HealthCheckRequest.newBuilder().setService(name).build())
          .getStatus();
    } finally {
      channel.shutdownNow();
    }
  }
}
