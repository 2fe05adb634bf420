package io.tallystick.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.source.LogCopy;
import io.tallystick.crypto.SignatureAlgorithm;
import io.tallystick.crypto.Signatures.ExportableSigner;
import io.tallystick.crypto.provider.SignatureProviders;
import io.tallystick.journal.BodyState;
import io.tallystick.testkit.Effort;
import io.tallystick.testkit.ReferenceLedger;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an auditor that is killed without warning goes on from its last statement and reports what
/// an uninterrupted one reports. Method: audits in processes of their own, ended by SIGKILL at
/// random moments.
class KilledAuditTest {
  private static final long SEED = 20_261_121;
  private static final int KILLS = Effort.of(2, 6);
  private static final int DELAY_MILLIS_MAX = 300;

  /// No run reads to the end, even if each goes on where the one before stood still.
  private static final int BATCHES = 40;

  private static final int READ_MIN = 2_500;
  private static final int READ_MAX = 4_000;
  private static final int BATCH = 600;
  private static final long WAIT_SECONDS = 300;

  private static ReferenceLedger ledger;

  @TempDir private Path folder;
  private Path key;

  @BeforeAll
  static void makeLog() {
    ledger = longLog();
  }

  @BeforeEach
  void makeKey() throws Exception {
    ExportableSigner auditor = SignatureProviders.best().generate(SignatureAlgorithm.ED25519);
    key = folder.resolve("auditor.pk8");
    Files.write(key, auditor.exportPkcs8());
  }

  @Test
  void reportsTheSameHoweverOftenItIsKilled() throws Exception {
    MemoryLog log = MemoryLog.of(ledger);
    Path copy = folder.resolve("log");
    LogCopy.save(log, copy);
    killOften(copy);
    assertThat(finish(copy)).startsWith(StandingAudit.told(Logs.audit(log)));
  }

  @Test
  void findsWhatWasTamperedWithHoweverOftenItIsKilled() throws Exception {
    MemoryLog log = MemoryLog.of(ledger);
    int late = log.entries().size() - 100;
    MemoryLog damaged = log.with(late, entry -> MemoryLog.bodiless(entry, BodyState.DAMAGED));
    Path copy = folder.resolve("log");
    LogCopy.save(damaged, copy);
    killOften(copy);
    assertThat(finish(copy)).contains("jsn " + late + ": the stored body is damaged");
  }

  /// Every other process is killed at any time after it has begun to read; the others once they
  /// have stated something.
  private void killOften(Path copy) throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    long from = 0;
    for (int i = 0; i < KILLS; i++) {
      byte[] before = statement();
      Process audit = start(copy, random.nextInt(READ_MIN, READ_MAX));
      try (BufferedReader printed = audit.inputReader()) {
        String line = printed.readLine();
        assertThat(line).startsWith("reading from ");
        long at = Long.parseLong(line.substring("reading from ".length()));
        assertThat(at).as("run %d, seed %d", i, SEED).isGreaterThanOrEqualTo(from);
        from = at;
        if (i % 2 == 0) {
          assertThat(printed.readLine()).isEqualTo("standing still");
          awaitOtherThan(before);
        }
        Thread.sleep(random.nextInt(DELAY_MILLIS_MAX));
      } finally {
        audit.destroyForcibly();
        assertThat(audit.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(audit.exitValue()).as("killed by a signal").isEqualTo(137);
    }
    assertThat(from).as("later runs go on behind earlier ones").isPositive();
  }

  private byte[] statement() throws Exception {
    Path file = folder.resolve("state").resolve(name());
    return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
  }

  private static String name() {
    return Logs.LEDGER.hex() + "-0.audit";
  }

  private void awaitOtherThan(byte[] before) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (Arrays.equals(before, statement())) {
      assertThat(System.nanoTime()).as("no statement in time").isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  private String finish(Path copy) throws Exception {
    Process audit = start(copy, -1);
    audit.inputReader().lines().forEach(line -> assertThat(line).startsWith("reading from "));
    assertThat(audit.waitFor(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(audit.exitValue()).isZero();
    String told = Files.readString(folder.resolve("report"));
    assertThat(told).doesNotEndWith("resumedFrom 0");
    return told;
  }

  private Process start(Path copy, int entries) throws Exception {
    return new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                StandingAudit.class.getName(),
                copy.toString(),
                key.toString(),
                folder.resolve("state").toString(),
                folder.resolve("report").toString(),
                String.valueOf(entries)))
        .redirectError(folder.resolve("errors").toFile())
        .start();
  }

  private static ReferenceLedger longLog() {
    ReferenceLedger made = ReferenceLedger.found(Logs.FIXTURES);
    for (int i = 1; i <= BATCHES; i++) {
      made.append(Logs.FIXTURES.batch(1_000 * i, BATCH)).seal();
    }
    return made;
  }
}
