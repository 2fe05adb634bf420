package io.tallystick.bench.service;

import io.tallystick.client.JournalDraft;
import io.tallystick.client.LedgerHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Appends over gRPC in a closed loop, as many as the service takes, and in an open loop, so many a
/// second.
public final class AppendLoads {
  /// A sender waits for this part of what may be in flight, not for every single answer.
  private static final int STRIDES_IN_FLIGHT = 128;

  private static final long ANSWER_SECONDS_MAX = 120;

  private AppendLoads() {}

  /// What is sent, and how much of it may be unanswered.
  public record Load(LedgerHandle ledger, int payloadBytes, int batch, int inFlight) {}

  public record Answered(long journals, double elapsedSeconds) {
    public double perSecond() {
      return journals / elapsedSeconds;
    }
  }

  /// With so many submissions in flight; two threads sign.
  ///
  /// @throws IllegalStateException if something is not answered within 120 s
  public static Answered closedLoop(Load load, double duration) throws Exception {
    Submission submission =
        payloads -> submit(load.ledger(), payloads.drafts(load.payloadBytes(), load.batch()));
    ClosedLoop loop = new ClosedLoop(submission, load.inFlight(), duration);
    return new Answered(loop.run() * load.batch(), loop.elapsedSeconds());
  }

  /// Sends what its payloads become, and returns before it is answered.
  @FunctionalInterface
  interface Submission {
    CompletableFuture<?> send(Payloads payloads) throws Exception;
  }

  /// One run of a closed loop.
  static final class ClosedLoop {
    private final Submission submission;
    private final int inFlight;
    private final int stride;
    private final Semaphore permits;
    private final AtomicLong answered = new AtomicLong();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long started = System.nanoTime();
    private final long deadline;
    private long ended = started;

    ClosedLoop(Submission submission, int inFlight, double duration) {
      this.submission = submission;
      this.inFlight = inFlight;
      this.stride = Math.max(1, inFlight / STRIDES_IN_FLIGHT);
      this.permits = new Semaphore(inFlight);
      this.deadline = started + (long) (duration * 1e9);
    }

    /// @return how many submissions were answered
    long run() throws Exception {
      List<Thread> senders =
          List.of(Thread.ofPlatform().start(this::send), Thread.ofPlatform().start(this::send));
      for (Thread thread : senders) {
        thread.join();
      }
      awaitAnswers(permits, inFlight);
      ended = System.nanoTime();
      throwIfFailed(failure);
      return answered.get();
    }

    double elapsedSeconds() {
      return (ended - started) / 1e9;
    }

    private void send() {
      Payloads payloads = new Payloads(Thread.currentThread().threadId());
      try {
        while (System.nanoTime() < deadline && failure.get() == null) {
          awaitAnswers(permits, stride);
          for (int i = 0; i < stride; i++) {
            sendOne(payloads);
          }
        }
      } catch (Exception e) {
        failure.compareAndSet(null, e);
      }
    }

    private void sendOne(Payloads payloads) {
      try {
        var _ =
            submission
                .send(payloads)
                .whenComplete((_, e) -> {
                  permits.release();
                  if (e == null) {
                    answered.incrementAndGet();
                  } else {
                    failure.compareAndSet(null, e);
                  }
                });
      } catch (Exception e) {
        failure.compareAndSet(null, e);
        permits.release();
      }
    }
  }

  private static void awaitAnswers(Semaphore permits, int count) throws InterruptedException {
    if (!permits.tryAcquire(count, ANSWER_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new IllegalStateException("not answered within " + ANSWER_SECONDS_MAX + " s");
    }
  }

  private static CompletableFuture<?> submit(LedgerHandle ledger, List<JournalDraft> drafts)
      throws Exception {
    return drafts.size() == 1
        ? ledger.appendAsync(drafts.getFirst())
        : ledger.appendBatchAsync(drafts);
  }

  /// Single journals of 256 B with so many in flight.
  ///
  /// @return how long each took, from when it was handed over until its receipt was verified
  public static long[] inFlight(LedgerHandle ledger, int count, double duration) throws Exception {
    Semaphore permits = new Semaphore(count);
    ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Payloads payloads = new Payloads(System.nanoTime());
    long deadline = System.nanoTime() + (long) (duration * 1e9);
    while (System.nanoTime() < deadline && failure.get() == null) {
      awaitAnswers(permits, 1);
      JournalDraft draft = payloads.drafts(256, 1).getFirst();
      long sent = System.nanoTime();
      var _ =
          ledger
              .appendAsync(draft)
              .whenComplete((_, e) -> {
                nanos.add(System.nanoTime() - sent);
                permits.release();
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
              });
    }
    awaitAnswers(permits, count);
    throwIfFailed(failure);
    return nanos.stream().mapToLong(Long::longValue).toArray();
  }

  /// Open loop: every request has a due time and its latency counts from then, so that a stall is
  /// charged to all that it delayed.
  ///
  /// @param rate a second
  static long[] openLoop(LedgerHandle ledger, int count, int rate) throws Exception {
    long[] nanos = new long[count];
    Semaphore answered = new Semaphore(0);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Payloads payloads = new Payloads(7);
    long started = System.nanoTime();
    for (int i = 0; i < count && failure.get() == null; i++) {
      long due = started + i * 1_000_000_000L / rate;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      int index = i;
      var _ =
          ledger
              .appendAsync(payloads.drafts(256, 1).getFirst())
              .whenComplete((_, e) -> {
                nanos[index] = System.nanoTime() - due;
                if (e != null) {
                  failure.compareAndSet(null, e);
                }
                answered.release();
              });
    }
    throwIfFailed(failure);
    awaitAnswers(answered, count);
    throwIfFailed(failure);
    return nanos;
  }

  private static void throwIfFailed(AtomicReference<@Nullable Throwable> failure) throws Exception {
    Throwable cause = failure.get();
    if (cause != null) {
      throw cause instanceof Exception e ? e : new IllegalStateException(cause);
    }
  }
}
