package io.tallystick.cli;

import io.tallystick.client.ClientKey;
import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.Promise;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.RejectionCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// Client threads that append without pause, singles, batches and deferred ones, and the books of
/// what they were told.
final class Load {
  private static final int BATCH_MAX = 12;

  /// A journal the service has vouched for.
  record Acknowledged(long jsn, VerifiedReceipt receipt) {}

  /// By payload, of which there are no two alike.
  final Map<String, Acknowledged> acknowledged = new ConcurrentHashMap<>();

  final Map<String, Long> promised = new ConcurrentHashMap<>();
  final Set<String> unknown = ConcurrentHashMap.newKeySet();
  final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private final LedgerHandle ledger;
  private final ClientKey reader;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /// @param reader a member's key, for who reads the ledger beside this
  Load(LedgerHandle ledger, ClientKey reader) {
    this.ledger = ledger;
    this.reader = reader;
  }

  LedgerHandle ledger() {
    return ledger;
  }

  ClientKey reader() {
    return reader;
  }

  void start(int singles, int batches, int deferred, RandomGenerator.SplittableGenerator random) {
    for (int i = 0; i < singles + batches + deferred; i++) {
      int worker = i;
      RandomGenerator own = random.split();
      threads.add(
          Thread.ofPlatform()
              .name("load-" + i)
              .start(() -> work(worker, worker >= singles, worker >= singles + batches, own)));
    }
  }

  private void work(int worker, boolean batches, boolean deferred, RandomGenerator random) {
    try {
      for (int turn = 0; !stopped; turn++) {
        String name = "worker " + worker + " turn " + turn;
        int count = batches ? random.nextInt(2, BATCH_MAX) : 1;
        List<String> payloads = IntStream.range(0, count).mapToObj(i -> name + "." + i).toList();
        append(payloads, deferred);
      }
    } catch (TallyException | RuntimeException e) {
      failures.add(e);
    }
  }

  private void append(List<String> payloads, boolean deferred) throws TallyException {
    List<JournalDraft> drafts = payloads.stream().map(JournalDraft::text).toList();
    try {
      if (deferred) {
        Promise promise = ledger.appendDeferred(drafts);
        for (int i = 0; i < payloads.size(); i++) {
          promised.put(payloads.get(i), promise.firstJsn().value() + i);
        }
        return;
      }
      List<VerifiedReceipt> receipts =
          drafts.size() == 1
              ? List.of(ledger.append(drafts.getFirst()))
              : ledger.appendBatch(drafts).receipts();
      for (int i = 0; i < payloads.size(); i++) {
        VerifiedReceipt receipt = receipts.get(i);
        acknowledged.put(payloads.get(i), new Acknowledged(receipt.jsn().value(), receipt));
      }
    } catch (RequestRefusedException e) {
      if (!e.code().equals(RejectionCode.EXPIRED.wire())) {
        throw e;
      } // on its way for too long, so it stands nowhere
    } catch (ServiceUnavailableException e) {
      if (e.outcomeUnknown()) {
        unknown.addAll(payloads);
      }
    }
  }

  /// Lets every thread finish what it has begun.
  void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
