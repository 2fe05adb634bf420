package io.tallystick.bench.service;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.VerifiedBatch;
import io.tallystick.client.VerifiedReceipt;
import io.tallystick.model.Jsn;
import io.tallystick.receipt.ReceiptFile;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Batches of 1,000 random journals of 256 B under one signature, eight in flight, two threads that
/// sign; from construction until {@link #stop}. Keeps a receipt of every hundredth batch.
public final class BatchLoad {
  static final int PAYLOAD_BYTES = 256;
  static final int BATCH = 1000;
  private static final int IN_FLIGHT = 8;
  private static final int SENDERS = 2;
  private static final int SAMPLE_EVERY = 100;
  private static final int SAMPLES_MAX = 1000;
  private static final long DRAIN_SECONDS_MAX = 120;

  private final LedgerHandle ledger;
  private final Supplier<Supplier<List<JournalDraft>>> batchesOf;
  private final int inFlight;
  private final Semaphore permits;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicInteger batches = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final List<Held> samples = new ArrayList<>();
  private final List<Thread> senders = new ArrayList<>();
  private volatile boolean stopped;

  /// A receipt of the sample, as a file: a {@link VerifiedReceipt} would keep its whole batch.
  public record Held(Jsn jsn, ReceiptFile file) {}

  public BatchLoad(LedgerHandle ledger) {
    this(ledger, BatchLoad::random, IN_FLIGHT);
  }

  /// @param batches makes for each sender what gives its batches
  /// @param inFlight batches sent and not yet answered
  BatchLoad(LedgerHandle ledger, Supplier<Supplier<List<JournalDraft>>> batches, int inFlight) {
    this.inFlight = inFlight;
    this.permits = new Semaphore(inFlight);
    this.ledger = ledger;
    this.batchesOf = batches;
    for (int i = 0; i < SENDERS; i++) {
      senders.add(Thread.ofPlatform().name("load-" + i).daemon().start(this::send));
    }
  }

  /// Journals whose receipts were verified.
  long acknowledged() {
    return acknowledged.get();
  }

  /// Batches that the service had committed before and answered again with their first jsns.
  int repeated() {
    return repeated.get();
  }

  /// @throws Exception why the load ended by itself
  void check() throws Exception {
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
  }

  /// Waits until so many are acknowledged.
  ///
  /// @param progress told the count about every two seconds
  public void awaitAcknowledged(long journals, LongConsumer progress) throws Exception {
    for (int i = 1; acknowledged() < journals; i++) {
      check();
      Thread.sleep(20);
      if (i % 100 == 0) {
        progress.accept(acknowledged());
      }
    }
  }

  /// Sends no more, waits for what is in flight, and hands over the sample.
  ///
  /// @throws IllegalStateException if something is never answered
  public List<Held> stop() throws Exception {
    stopped = true;
    for (Thread sender : senders) {
      sender.join();
    }
    if (!permits.tryAcquire(inFlight, DRAIN_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not answered within " + DRAIN_SECONDS_MAX + " s");
    }
    check();
    synchronized (samples) {
      return List.copyOf(samples);
    }
  }

  private static Supplier<List<JournalDraft>> random() {
    Payloads payloads = new Payloads(System.nanoTime());
    return () -> payloads.drafts(PAYLOAD_BYTES, BATCH);
  }

  private void send() {
    Supplier<List<JournalDraft>> drafts = batchesOf.get();
    try {
      while (!stopped && failure.get() == null) {
        if (!permits.tryAcquire(100, TimeUnit.MILLISECONDS)) {
          continue;
        }
        var _ =
            ledger
                .appendBatchAsync(drafts.get())
                .whenComplete((batch, e) -> {
                  if (e == null) {
                    answered(batch);
                  } else {
                    failure.compareAndSet(null, e);
                  }
                  permits.release();
                });
      }
    } catch (Exception e) {
      failure.compareAndSet(null, e);
      permits.release();
    }
  }

  private void answered(VerifiedBatch batch) {
    acknowledged.addAndGet(batch.count());
    if (batch.repeated()) {
      repeated.incrementAndGet();
    }
    int number = batches.incrementAndGet();
    if (number % SAMPLE_EVERY == 0) {
      synchronized (samples) {
        if (samples.size() < SAMPLES_MAX) {
          VerifiedReceipt receipt = batch.receipt(number / SAMPLE_EVERY % batch.count());
          samples.add(new Held(receipt.jsn(), receipt.toFile()));
        }
      }
    }
  }
}
