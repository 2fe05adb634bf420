package io.tallystick.bench.soak;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ClientKey;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.journal.JournalPage;
import io.tallystick.client.journal.LedgerJournal;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import io.tallystick.model.LedgerId;
import io.tallystick.model.MalformedException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Holds the books of all clients against the ledgers as one reads them who never saw them before:
/// what was acknowledged stands where it was acknowledged, nothing stands twice, and nothing stands
/// that no client sent. First {@link #readBook} of all books, then {@link #readLedger} of all
/// ledgers, then {@link #finish}.
final class SoakCheck {
  private static final int FAULTS_NAMED_MAX = 100;
  private static final String EXPIRED = "expired";

  /// A payload as the books have it.
  private static final class Journal {
    final LedgerId ledger;
    final String sender;

    /// By the answer whose receipt was verified; -1: none.
    long acknowledgedAt = -1;

    /// As it was found; -1: not yet.
    long standsAt = -1;

    /// With another word than that its time is over.
    boolean isRefused;

    Journal(LedgerId ledger, String sender) {
      this.ledger = ledger;
      this.sender = sender;
    }
  }

  private final Map<Digest, Journal> journals = new HashMap<>();
  private final Map<String, Long> refusals = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();
  private final MessageDigest sha256;
  private long faultCount;
  private long sent;
  private long acknowledged;
  private long repeats;
  private long silences;
  private long found;

  SoakCheck() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  void readBook(Path book) throws IOException {
    Map<Long, List<Journal>> byRequest = new HashMap<>();
    Book.read(
        book,
        entry -> {
          switch (entry) {
            case Book.Entry.Sent(long id, SoakRequest request) -> {
              sent++;
              byRequest.put(id, sent(request, book.getFileName() + " request " + id));
            }
            case Book.Entry.Held(long id, Answer.Receipted answer) -> {
              repeats += answer.repeated() ? 1 : 0;
              acknowledged(byRequest.getOrDefault(id, List.of()), answer.firstJsn());
            }
            case Book.Entry.Again(long _) -> repeats++;
            case Book.Entry.Refused(long id, Answer.Refused answer) -> {
              refusals.merge(answer.code(), 1L, Long::sum);
              if (answer.isFinal() && !answer.code().equals(EXPIRED)) {
                byRequest.getOrDefault(id, List.of()).forEach(each -> each.isRefused = true);
              }
            }
            case Book.Entry.Silent(long _) -> silences++;
          }
        });
  }

  private List<Journal> sent(SoakRequest request, String sender) throws IOException {
    List<Journal> batch = new ArrayList<>(request.requests().size());
    try {
      for (Bytes payload : request.payloads()) {
        Journal journal = new Journal(request.strand().ledger(), sender);
        Journal earlier = journals.put(key(payload), journal);
        if (earlier != null) {
          fault(
              String.format(
                  Locale.ROOT, "books: %s and %s have the same payload", earlier.sender, sender));
        }
        batch.add(journal);
      }
    } catch (MalformedException e) {
      throw new IOException(sender + " has no body that can be read", e);
    }
    return batch;
  }

  private void acknowledged(List<Journal> batch, long firstJsn) {
    for (int i = 0; i < batch.size(); i++) {
      Journal journal = batch.get(i);
      if (journal.acknowledgedAt < 0) {
        acknowledged++;
      }
      journal.acknowledgedAt = firstJsn + i;
    }
  }

  /// @param trust of somebody who has seen nothing yet
  void readLedgers(String target, Path trust, List<LedgerId> ledgers, ClientKey reader)
      throws TallyException {
    try (TallyClient client =
        TallyClient.connect(ClientConfig.of(target, trust).withReader(reader))) {
      for (LedgerId ledger : ledgers) {
        readLedger(client.open(ledger));
      }
    }
  }

  private void readLedger(LedgerHandle ledger) throws TallyException {
    Optional<Jsn> from = Optional.of(new Jsn(0));
    while (from.isPresent()) {
      JournalPage page = ledger.list(from.get(), LedgerHandle.LIST_LIMIT_MAX);
      for (LedgerJournal journal : page.journals()) {
        if (journal.header().isPresent()) {
          found(ledger.id(), journal);
        }
      }
      from = page.next();
    }
  }

  private void found(LedgerId ledger, LedgerJournal read) {
    found++;
    String place = ledger + " jsn " + read.jsn().value();
    if (read.body().isEmpty()) {
      fault(String.format(Locale.ROOT, "lost: the body at %s is %s", place, read.bodyState()));
      return;
    }
    Journal journal = journals.get(key(read.body().get().payload()));
    if (journal == null) {
      fault("foreign: nobody sent what stands at " + place);
      return;
    }
    if (!journal.ledger.equals(ledger)) {
      fault(
          String.format(
              Locale.ROOT,
              "foreign: %s was sent to %s, stands at %s",
              journal.sender,
              journal.ledger,
              place));
      return;
    }
    if (journal.standsAt >= 0) {
      fault(
          String.format(
              Locale.ROOT,
              "doubled: %s stands at jsn %d and at %s",
              journal.sender,
              journal.standsAt,
              place));
      return;
    }
    journal.standsAt = read.jsn().value();
    if (journal.isRefused) {
      fault(
          String.format(
              Locale.ROOT, "foreign: %s was refused and stands at %s", journal.sender, place));
    }
  }

  /// After all books and ledgers.
  Result finish() {
    long unacknowledged = 0;
    for (Journal journal : journals.values()) {
      if (journal.acknowledgedAt >= 0 && journal.acknowledgedAt != journal.standsAt) {
        fault(
            String.format(
                Locale.ROOT,
                "lost: %s was acknowledged at %s jsn %d, %s",
                journal.sender,
                journal.ledger,
                journal.acknowledgedAt,
                journal.standsAt < 0 ? "stands nowhere" : "stands at " + journal.standsAt));
      }
      if (journal.acknowledgedAt < 0 && journal.standsAt >= 0) {
        unacknowledged++;
      }
    }
    return new Result(
        sent,
        acknowledged,
        found,
        unacknowledged,
        repeats,
        silences,
        Map.copyOf(refusals),
        faultCount,
        List.copyOf(faults));
  }

  /// @param sent requests; a batch is one
  /// @param acknowledged journals whose receipts clients verified
  /// @param found journals in all ledgers
  /// @param unacknowledged journals that stand although nobody lived to hear of it
  /// @param repeats answered with the first jsns
  /// @param silences attempts without an answer
  /// @param refusals how often each code was given
  /// @param faults the first of them, in words
  record Result(
      long sent,
      long acknowledged,
      long found,
      long unacknowledged,
      long repeats,
      long silences,
      Map<String, Long> refusals,
      long faultCount,
      List<String> faults) {}

  private void fault(String words) {
    faultCount++;
    if (faults.size() < FAULTS_NAMED_MAX) {
      faults.add(words);
    }
  }

  private Digest key(Bytes payload) {
    payload.updateInto(sha256);
    return Digest.of(sha256.digest());
  }
}
