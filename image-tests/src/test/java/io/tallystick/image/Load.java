package io.tallystick.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.client.failure.TallyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Appends, many at a time, until the first append fails.
final class Load {
  private static final int IN_FLIGHT = 16;
  private static final long ANSWER_SECONDS_MAX = 60;

  private final LedgerHandle ledger;
  private final Queue<CompletableFuture<VerifiedReceipt>> sent = new ConcurrentLinkedQueue<>();
  private final Semaphore places = new Semaphore(IN_FLIGHT);
  private final AtomicInteger receipts = new AtomicInteger();
  private final Thread thread;
  private volatile boolean failed;

  Load(LedgerHandle ledger) {
    this.ledger = ledger;
    this.thread = Thread.ofPlatform().daemon().name("load").start(this::run);
  }

  /// How many appends have been acknowledged so far.
  int acknowledged() {
    return receipts.get();
  }

  private void run() {
    while (!failed) {
      places.acquireUninterruptibly();
      CompletableFuture<VerifiedReceipt> answer;
      try {
        answer = ledger.appendAsync(JournalDraft.text("journal " + sent.size()));
      } catch (TallyException e) {
        answer = CompletableFuture.failedFuture(e);
      }
      sent.add(
          answer.whenComplete((_, failure) -> {
            if (failure == null) {
              receipts.incrementAndGet();
            } else {
              failed = true;
            }
            places.release();
          }));
    }
  }

  /// Waits until each append has ended: by a receipt, or by a failure that the client defines.
  ///
  /// @return the receipts
  List<VerifiedReceipt> end() throws Exception {
    thread.join(TimeUnit.SECONDS.toMillis(ANSWER_SECONDS_MAX));
    assertThat(thread.isAlive()).as("a load that goes on").isFalse();
    List<VerifiedReceipt> acknowledged = new ArrayList<>();
    for (CompletableFuture<VerifiedReceipt> each : sent) {
      try {
        acknowledged.add(each.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS));
      } catch (ExecutionException e) {
        assertThat(e).cause().isInstanceOf(TallyException.class);
      }
    }
    return acknowledged;
  }
}
