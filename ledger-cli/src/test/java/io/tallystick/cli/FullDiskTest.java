package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.api.v1.AppendResponse;
import io.tallystick.api.v1.Problem;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.model.RejectionCode;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.Seeded;
import io.tallystick.testkit.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a full disk stops appends, with a word for it, and nothing else; when there is room again
/// they go on by themselves. Method: the real service in a process of its own, under load, on a
/// file system of a few megabytes that is filled up, first below the limit at which appends stop,
/// then, with that limit at nothing, to its last page, so that frames and savepoints meet ENOSPC.
class FullDiskTest {
  private final ClientKey owner = ClientKey.generate();
  private static final int DISK_MIB = 128;
  private static final long GUARD_BYTES = 48L << 20;
  private static final int READ_PER_ROUND = 25;
  private static final RetryPolicy PATIENT =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofMinutes(10));

  @TempDir private Path home;
  private Controls controls;

  @BeforeEach
  void makeControls() throws IOException {
    controls = new Controls(Files.createDirectory(home.resolve("control")));
  }

  private ServiceProcess start(SmallDisk disk, long freeBytesMin, int port) throws Exception {
    return ServiceProcess.start(
        disk.root.resolve("data"),
        home.resolve("service.log"),
        port,
        FaultyService.class,
        List.of(controls.folder().toString(), String.valueOf(freeBytesMin), "300"));
  }

  @Seeded(runs = 1)
  void refusesAppendsWhileTheDiskIsFullAndGoesOnWhenItIsNot(SplittableRandom random)
      throws Exception {
    try (SmallDisk disk = SmallDisk.create(home.resolve("disk"), DISK_MIB, controls)) {
      ServiceProcess service = start(disk, GUARD_BYTES, 0);
      int port = service.port();
      try (TallyClient client =
              TallyClient.connect(
                  ClientConfig.of(service.target(), home.resolve("trust")).withRetry(PATIENT));
          BareLedger bare = new BareLedger(service.target())) {
        LedgerHandle ledger = client.createLedger("full", List.of(owner), LedgerOptions.DEFAULT);
        Load load = new Load(ledger, owner);
        try {
          load.start(2, 1, 1, random);
          Books.awaitProgress(load);
          fillAndGiveBack(disk, GUARD_BYTES / 2, bare, ledger, load, random);
          assertThat(Files.readString(home.resolve("service.log")))
              .containsOnlyOnce("refuses appends as storage_full: ")
              .contains(" bytes are free, " + GUARD_BYTES + " are needed")
              .containsOnlyOnce("has room again: appends go on");

          service.close();
          service = start(disk, 0, port);
          Books.awaitProgress(load);
          for (int i = 0; i < Effort.of(1, 2); i++) {
            fillAndGiveBack(disk, 0, bare, ledger, load, random);
          }

          service.kill();
          service = start(disk, 0, port);
          Books.awaitProgress(load);
        } finally {
          disk.giveBack();
          load.stop();
        }
        Books.close(service, load);
      } finally {
        service.close();
      }
    }
  }

  private void fillAndGiveBack(
      SmallDisk disk,
      long leave,
      BareLedger bare,
      LedgerHandle ledger,
      Load load,
      SplittableRandom random)
      throws Exception {
    double refusals = controls.meter("ledger.refusals storage_full");
    disk.leave(leave);
    Waiting.until(
        "appends are refused", () -> isFull(bare.append(bare.now().single(1 + number++))));
    Books.verifySome(ledger, load, READ_PER_ROUND, random);
    disk.leave(leave); // also what the service gave back meanwhile
    // One refusal was the one above.
    Waiting.until(
        "the load is refused too",
        () -> controls.meter("ledger.refusals storage_full") > refusals + 1);
    Books.verifySome(ledger, load, READ_PER_ROUND, random);
    disk.giveBack();
    // The caller waits for the load: its clients were told to come back in 10 s.
    Waiting.until(
        "appends go on", () -> bare.append(bare.now().single(1 + number++)).hasReceipted());
  }

  private int number;

  private static boolean isFull(AppendResponse answer) {
    if (!answer.hasProblem()) {
      return false;
    }
    Problem problem = answer.getProblem();
    assertThat(problem.getCode())
        .as(answer.toString())
        .isEqualTo(RejectionCode.STORAGE_FULL.wire());
    assertThat(problem.getHttpStatus()).isEqualTo(507);
    assertThat(problem.getRetryable()).isTrue();
    return true;
  }
}
