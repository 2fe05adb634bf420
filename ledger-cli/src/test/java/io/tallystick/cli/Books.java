package io.tallystick.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.cli.Load.Acknowledged;
import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.model.Jsn;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/// What a {@link Load} was told, held against what the ledger says.
final class Books {
  private static final Duration PROGRESS_MAX = Duration.ofMinutes(3);

  private Books() {}

  /// Some of what the clients hold while others go on: receipts as files, journals as read back.
  static void verifySome(LedgerHandle ledger, Load load, int count, RandomGenerator random)
      throws Exception {
    List<Map.Entry<String, Acknowledged>> held = List.copyOf(load.acknowledged.entrySet());
    for (int i = 0; i < count && !held.isEmpty(); i++) {
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

  /// Waits until something more is acknowledged.
  static void awaitProgress(Load load) throws InterruptedException {
    long deadline = System.nanoTime() + PROGRESS_MAX.toNanos();
    int now = load.acknowledged.size();
    while (load.acknowledged.size() <= now) {
      assertThat(load.failures).isEmpty();
      assertThat(System.nanoTime()).as("nothing was appended any more").isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  /// At the end of a load, whatever happened to the service meanwhile: nobody was told wrong, the
  /// log and the books agree, and an auditor finds the same journals.
  static void close(ServiceProcess service, Load load) throws Exception {
    assertThat(load.failures).isEmpty();
    int journals = check(load.ledger(), load);
    assertThat(Audits.pass(service.target(), load.ledger().id(), load.reader()).counts().journals())
        .isEqualTo(journals);
  }

  /// The log against the books: every receipt verifies; each journal at most once; all that was
  /// acknowledged or promised at its jsn, and nothing else but what may have been sent.
  ///
  /// @return how many journals there are
  static int check(LedgerHandle ledger, Load load) throws Exception {
    load.acknowledged.values().forEach(held -> verify(ledger, held));
    ledger.verifyPromises();
    Map<String, Long> log = read(ledger);
    Map<String, Long> told = new HashMap<>(load.promised);
    load.acknowledged.forEach((payload, held) -> told.put(payload, held.jsn()));
    assertThat(log).containsAllEntriesOf(told);
    Set<String> surplus = new HashSet<>(log.keySet());
    surplus.removeAll(told.keySet());
    assertThat(load.unknown).containsAll(surplus);
    return log.size();
  }

  /// Every journal's text with its jsn; none may stand twice.
  static Map<String, Long> read(LedgerHandle ledger) throws Exception {
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
