package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.audit.AuditReport;
import io.tallystick.cli.Load.Acknowledged;
import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalPage;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.LedgerJournal;
import io.tallystick.client.LedgerOptions;
import io.tallystick.client.RetryPolicy;
import io.tallystick.client.TallyClient;
import io.tallystick.model.Jsn;
import io.tallystick.testkit.Seeded;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a power cut costs nobody anything he was promised. Method: a real `tally up` is killed
/// with SIGKILL at random moments under load and started again on its data directory and port,
/// while the clients' SDK sends again what was not answered.
class KillTest {
  private static final int ROUNDS = 3;
  private static final int READ_PER_ROUND = 25;
  private static final RetryPolicy PATIENT =
      new RetryPolicy(100, Duration.ofMillis(50), Duration.ofMillis(500), Duration.ofSeconds(45));

  @TempDir private Path home;

  @Seeded(runs = 1)
  void keepsEveryPromiseThroughKillsUnderLoad(SplittableRandom random) throws Exception {
    ServiceProcess service = start(0);
    int port = service.port();
    try (TallyClient client = client(service)) {
      LedgerHandle ledger =
          client.createLedger("kill", List.of(ClientKey.generate()), LedgerOptions.DEFAULT);
      Load load = new Load(ledger);
      try {
        load.start(3, 2, 1, random);
        for (int round = 0; round < ROUNDS; round++) {
          int before = load.acknowledged.size();
          Thread.sleep(random.nextLong(100, 1200));
          service.kill();
          service = start(port);
          verifyHeld(ledger, load, random);
          awaitProgress(load, before);
        }
      } finally {
        load.stop();
      }
      assertThat(load.failures).isEmpty();
      load.acknowledged.values().forEach(held -> verify(ledger, held));
      ledger.verifyPromises();
      int journals = checkBooks(ledger, load);
      AuditReport report = Audits.pass(service.target(), ledger.id());
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

  /// What the clients hold while others go on: receipts as files, some journals as read back.
  private static void verifyHeld(LedgerHandle ledger, Load load, SplittableRandom random)
      throws Exception {
    List<Map.Entry<String, Acknowledged>> held = List.copyOf(load.acknowledged.entrySet());
    for (int i = 0; i < READ_PER_ROUND && !held.isEmpty(); i++) {
      Map.Entry<String, Acknowledged> one = held.get(random.nextInt(held.size()));
      verify(ledger, one.getValue());
      LedgerJournal journal = ledger.get(new Jsn(one.getValue().jsn()));
      assertThat(text(journal)).isEqualTo(one.getKey());
    }
  }

  private static void verify(LedgerHandle ledger, Acknowledged held) {
    try {
      ledger.verify(held.receipt().toFile());
    } catch (Exception e) {
      throw new AssertionError("the receipt of jsn " + held.jsn() + " does not verify", e);
    }
  }

  private static void awaitProgress(Load load, int before) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    int now = load.acknowledged.size();
    while (load.acknowledged.size() <= Math.max(now, before)) {
      assertThat(load.failures).isEmpty();
      assertThat(System.nanoTime()).as("no append since the restart").isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  /// The log against the books: each journal at most once, all that was acknowledged or promised at
  /// its jsn, and nothing else but what may have been sent.
  ///
  /// @return how many journals there are
  private static int checkBooks(LedgerHandle ledger, Load load) throws Exception {
    Map<String, Long> log = read(ledger);
    Map<String, Long> told = new HashMap<>(load.promised);
    load.acknowledged.forEach((payload, held) -> told.put(payload, held.jsn()));
    assertThat(log).containsAllEntriesOf(told);
    Set<String> surplus = new HashSet<>(log.keySet());
    surplus.removeAll(told.keySet());
    assertThat(load.unknown).containsAll(surplus);
    return log.size();
  }

  private static Map<String, Long> read(LedgerHandle ledger) throws Exception {
    Map<String, Long> log = new HashMap<>();
    Jsn from = new Jsn(0);
    while (true) {
      JournalPage page = ledger.list(from, LedgerHandle.LIST_LIMIT_MAX);
      for (LedgerJournal journal : page.journals()) {
        if (journal.header().isPresent()) {
          Long twin = log.put(text(journal), journal.jsn().value());
          assertThat(twin).as("journal %s stands twice", journal.jsn()).isNull();
        }
      }
      if (page.next().isEmpty()) {
        return log;
      }
      from = page.next().get();
    }
  }

  private static String text(LedgerJournal journal) {
    return new String(journal.body().orElseThrow().payload().toArray(), StandardCharsets.UTF_8);
  }
}
