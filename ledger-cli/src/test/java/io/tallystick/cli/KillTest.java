package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.AuditReport;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Seeded;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a killed service costs nobody anything he was promised. Method: a real `tally up` is
/// killed with SIGKILL several times at random moments under load and started again on its data
/// directory and port, while the clients' SDK sends again what was not answered.
class KillTest {
  private static final int ROUNDS = Effort.of(2, 20);
  private static final int READ_PER_ROUND = 25;
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofSeconds(45));

  private final ClientKey owner = ClientKey.generate();
  @TempDir private Path home;

  @Seeded(runs = 1)
  void keepsEveryPromiseThroughKillsUnderLoad(SplittableRandom random) throws Exception {
    ServiceProcess service = start(0);
    int port = service.port();
    try (TallyClient client = client(service)) {
      LedgerHandle ledger = client.createLedger("kill", List.of(owner), LedgerOptions.DEFAULT);
      Load load = new Load(ledger, owner);
      try {
        load.start(3, 2, 1, random);
        for (int round = 0; round < ROUNDS; round++) {
          Thread.sleep(random.nextLong(50, 600));
          service.kill();
          service = start(port);
          Books.verifySome(ledger, load, READ_PER_ROUND, random);
          Books.awaitProgress(load);
        }
      } finally {
        load.stop();
      }
      assertThat(load.failures).isEmpty();
      int journals = Books.check(ledger, load);
      AuditReport report = Audits.pass(service.target(), ledger.id(), owner);
      assertThat(report.counts().journals()).isEqualTo(journals);
    } finally {
      service.close();
    }
  }

  private ServiceProcess start(int port) throws Exception {
    return ServiceProcess.start(home.resolve("data"), home.resolve("service.log"), port);
  }

  private TallyClient client(ServiceProcess service) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), home.resolve("trust")).withRetry(PATIENT));
  }
}
