package io.tallystick.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.model.Jsn;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What one client has sent, and what it was told, one journal after another: a history that the
/// log must agree with. The order is the log's, so there is nothing to search.
final class SentJournals {
  private final LedgerHandle ledger;
  private final Map<String, Long> acknowledged = new LinkedHashMap<>();
  private long highest = -1;
  private int sent;

  SentJournals(LedgerHandle ledger) {
    this.ledger = ledger;
  }

  /// Sends one, and fails unless it is acknowledged behind all that were before, under a head that
  /// covers it.
  void send() throws TallyException {
    String text = "journal " + sent++;
    VerifiedReceipt receipt = ledger.append(JournalDraft.text(text));
    long jsn = receipt.jsn().value();
    assertThat(jsn).as("the place of %s", text).isGreaterThan(highest);
    highest = jsn;
    acknowledged.put(text, jsn);
  }

  void send(int count) throws TallyException {
    for (int i = 0; i < count; i++) {
      send();
    }
  }

  /// The newest head covers all that was acknowledged; each journal is there once, where its
  /// receipt said.
  void checkLog() throws TallyException {
    assertThat(ledger.checkpoint().size().value()).isGreaterThan(highest);
    Map<String, Long> found = new HashMap<>();
    Optional<Jsn> from = Optional.of(new Jsn(0));
    while (from.isPresent()) {
      JournalPage page = ledger.list(from.get(), JournalPage.LIMIT_MAX);
      for (LedgerJournal journal : page.journals()) {
        String text =
            journal
                .body()
                .map(body -> new String(body.payload().toArray(), StandardCharsets.UTF_8))
                .orElse("");
        if (text.startsWith("journal ")) {
          assertThat(found.put(text, journal.jsn().value())).as("a second %s", text).isNull();
        }
      }
      from = page.next();
    }
    assertThat(found).containsAllEntriesOf(acknowledged);
    assertThat(ledger.alarm()).isEmpty();
  }
}
