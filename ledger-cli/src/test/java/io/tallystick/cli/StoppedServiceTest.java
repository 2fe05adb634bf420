package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tallystick.api.v1.AppendRequest;
import io.tallystick.api.v1.AppendResponse;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.model.RejectionCode;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Fixtures;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Submission;
import io.tallystick.testkit.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a service that stands still costs time and nothing else. Method: SIGSTOP a real one under
/// load, then SIGCONT. Clients that wait that long get through; those that do not are told that
/// they do not know the outcome, and learn it by sending the same bytes again; what has expired
/// meanwhile is refused.
@Tag("long")
class StoppedServiceTest {
  private static final long WINDOW_MS = 10 * 60_000;
  private static final Duration STOP = Duration.ofSeconds(Effort.of(5, 30));
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofMinutes(10));
  private static final RetryPolicy HASTY =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(100), Duration.ofSeconds(3));

  @TempDir private Path home;

  @Seeded(runs = 1)
  void standsStillAndGoesOn(SplittableRandom random) throws Exception {
    try (ServiceProcess service =
            ServiceProcess.start(home.resolve("data"), home.resolve("service.log"));
        BareLedger bare = new BareLedger(service.target(), WINDOW_MS);
        AppendStream stream = new AppendStream(bare.channel);
        TallyClient patient = client(service, PATIENT, "patient");
        TallyClient hasty = client(service, HASTY, "hasty")) {
      Load patientLoad = load(patient, "patient");
      Load hastyLoad = load(hasty, "hasty");
      AppendRequest early = bare.request(bare.now().single(1)).build();
      AppendRequest shortLived;
      AppendRequest lasting;
      try {
        patientLoad.start(2, 1, 1, random);
        hastyLoad.start(2, 1, 1, random);
        Books.awaitProgress(patientLoad);
        Books.awaitProgress(hastyLoad);
        stream.send(early);
        assertThat(stream.nextAnswer().hasReceipted()).isTrue();

        signal(service, "STOP");
        try {
          lasting =
              bare.request(bare.founded.submission(bare.lasting(2).build(), Fixtures.ALICE))
                  .build();
          shortLived = bare.request(dyingSoon(bare)).build();
          stream.send(lasting);
          stream.send(shortLived);
          assertThat(
                  catchThrowableOfType(
                      ServiceUnavailableException.class, hasty::serviceDescription))
              .as("a read of a client that does not wait")
              .isNotNull();
          Thread.sleep(STOP.toMillis());
        } finally {
          signal(service, "CONT");
        }
        Books.awaitProgress(patientLoad);
        Books.awaitProgress(hastyLoad);
      } finally {
        patientLoad.stop();
        hastyLoad.stop();
      }
      assertThat(hastyLoad.unknown).as("told that the outcome is unknown").isNotEmpty();
      checkOutcomes(bare, stream, lasting, shortLived);
      Books.close(service, patientLoad);
      Books.close(service, hastyLoad);
    }
  }

  /// Its window ends while the service stands still.
  private static Submission dyingSoon(BareLedger ledger) {
    long now = System.currentTimeMillis();
    return ledger
        .now()
        .submission(
            ledger.now().draft(3).withExpiry(now + STOP.toMillis() / 2).build(), Fixtures.ALICE);
  }

  private static void checkOutcomes(
      BareLedger ledger, AppendStream stream, AppendRequest lasting, AppendRequest shortLived)
      throws Exception {
    for (int i = 0; i < 2; i++) {
      AppendResponse answer = stream.nextAnswer();
      if (answer.getId() == shortLived.getId()) {
        assertThat(answer.getProblem().getCode()).isEqualTo(RejectionCode.EXPIRED.wire());
      } else {
        assertThat(answer.getReceipted().getRepeated()).isFalse();
        AppendResponse repeat = ledger.append(lasting);
        assertThat(repeat.getReceipted().getRepeated()).as(repeat.toString()).isTrue();
        assertThat(repeat.getReceipted().getFirstJsn())
            .isEqualTo(answer.getReceipted().getFirstJsn());
      }
    }
  }

  private TallyClient client(ServiceProcess service, RetryPolicy retry, String name) {
    return TallyClient.connect(
        ClientConfig.of(service.target(), home.resolve(name))
            .withRetry(retry)
            .withCallTimeout(Duration.ofSeconds(5)));
  }

  private static Load load(TallyClient client, String name) throws Exception {
    ClientKey owner = ClientKey.generate();
    LedgerHandle ledger = client.createLedger(name, List.of(owner), LedgerOptions.DEFAULT);
    return new Load(ledger, owner);
  }

  private static void signal(ServiceProcess service, String name) throws Exception {
    Process kill =
        new ProcessBuilder("kill", "-" + name, String.valueOf(service.pid())).inheritIO().start();
    assertThat(kill.waitFor(Waiting.MAX.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(kill.exitValue()).isZero();
  }
}
