package io.tallystick.master.anchor;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.NewestHead;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeJournals;
import io.tallystick.note.Checkpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Requests for time journals, each of a ledger's newest head, now. One request of a ledger is open
/// at a time; whoever asks for the same head meanwhile gets its answer. It has threads of its own,
/// and neither an append nor whoever asks waits on one of them. Thread-safe. Source: LedgerDB Table
/// 2, GrantTime.
public final class TimeRequests implements AutoCloseable {
  /// Requests that are open, of all ledgers.
  static final int OPEN_MAX = 64;

  /// From one time that came to the next question for the same ledger.
  public static final Duration INTERVAL = Duration.ofMinutes(1);

  /// Until a source that gave no time had better be asked again: so long an authority rests.
  static final Duration AFTER_FAILURE = AuthorityRest.REST;

  private static final Duration AFTER_OPEN = Duration.ofSeconds(1);
  private static final int THREADS = 8;
  private static final int TRIES_MAX = 3;

  /// Ledgers whose last time is remembered; beyond it the eldest is forgotten.
  private static final int REMEMBERED_MAX = 65_536;

  private final Optional<TimeJournals> journals;
  private final List<TimeSource> sources;
  private final LongSupplier nanoTime;
  private final Consumer<Outcome> watch;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, Thread.ofVirtual().name("time-request-", 0).factory());
  private final Map<StrandId, Open> open = new HashMap<>();
  private final LinkedHashMap<StrandId, Long> timeCameAt = new LinkedHashMap<>();
  private boolean closed;

  /// What became of a request.
  public enum Outcome {
    /// A time journal was written.
    STAMPED,
    /// There was one already.
    EXISTED,
    /// No source gave a time.
    NOT_STAMPED,
    /// The node did not take the time journal, or stopped.
    REFUSED
  }

  /// @param existed whether the newest head had been stamped without this request
  public record Granted(StampedHead stamped, boolean existed) {}

  private record Open(long size, CompletableFuture<Granted> answer) {}

  /// @param journals of the node, if it takes time journals
  /// @param sources in the order in which they are asked
  /// @param nanoTime as {@link System#nanoTime}
  /// @param watch is told of each request that began, or needed none; must not block
  public TimeRequests(
      Optional<TimeJournals> journals,
      List<TimeSource> sources,
      LongSupplier nanoTime,
      Consumer<Outcome> watch) {
    this.journals = journals;
    this.sources = List.copyOf(sources);
    this.nanoTime = nanoTime;
    this.watch = watch;
  }

  /// Asks for a time journal of the newest head. Reads the disk, and waits for nothing else.
  ///
  /// @return completes when it is durable; fails with a {@link RequestRejectedException}:
  ///   `TIME_NOT_STAMPED` with the reason of each source, `UNAVAILABLE`, and what any append may be
  ///   refused with
  /// @throws RequestRejectedException `TIME_NOT_CONFIGURED`; `RATE_LIMITED` while a request for an
  ///   older head is open, or so many are, or if the ledger got a time less than {@link #INTERVAL}
  ///   ago; `UNKNOWN_LEDGER`
  public CompletableFuture<Granted> request(StrandId strand) throws RequestRejectedException {
    List<TimeSource> asked =
        sources.stream().filter(source -> source.takes(strand.ledger())).toList();
    if (journals.isEmpty() || asked.isEmpty()) {
      throw new RequestRejectedException(
          RejectionCode.TIME_NOT_CONFIGURED,
          "this service asks no time authority, and submits heads of this ledger to no T-Ledger");
    }
    NewestHead newest = journals.get().newest(strand);
    if (newest.covering().isEmpty()) {
      try {
        return begin(journals.get(), strand, asked, newest.head());
      } catch (RequestRejectedException e) {
        newest = journals.get().newest(strand);
        if (newest.covering().isEmpty()) {
          throw e;
        }
      }
    }
    watch.accept(Outcome.EXISTED);
    return CompletableFuture.completedFuture(new Granted(newest.covering().get(), true));
  }

  private synchronized CompletableFuture<Granted> begin(
      TimeJournals node, StrandId strand, List<TimeSource> asked, Checkpoint head)
      throws RequestRejectedException {
    if (closed) {
      throw closing();
    }
    long size = head.size().value();
    Open other = open.get(strand);
    if (other != null) {
      if (other.size < size) {
        throw rateLimited(
            "a time is being asked for the first " + other.size + " leaves", AFTER_OPEN.toMillis());
      }
      return other.answer.copy();
    }
    checkRate(strand);
    if (open.size() >= OPEN_MAX) {
      throw rateLimited(OPEN_MAX + " requests for a time are open", AFTER_OPEN.toMillis())
          .withLimit(OPEN_MAX);
    }
    Open mine = new Open(size, new CompletableFuture<>());
    open.put(strand, mine);
    threads.execute(() -> run(node, strand, asked, head, mine));
    return mine.answer.copy();
  }

  private void checkRate(StrandId strand) throws RequestRejectedException {
    Long before = timeCameAt.get(strand);
    long waitNanos = before == null ? 0 : before + INTERVAL.toNanos() - nanoTime.getAsLong();
    if (waitNanos > 0) {
      throw rateLimited(
          "this ledger asks for a time once a minute", Duration.ofNanos(waitNanos).toMillis() + 1);
    }
  }

  private static RequestRejectedException rateLimited(String detail, long waitMs) {
    return new RequestRejectedException(RejectionCode.RATE_LIMITED, detail).retryAfterMs(waitMs);
  }

  private static RequestRejectedException closing() {
    return new RequestRejectedException(RejectionCode.UNAVAILABLE, "the service is stopping");
  }

  private void run(
      TimeJournals node, StrandId strand, List<TimeSource> asked, Checkpoint head, Open mine) {
    try {
      Granted granted = granted(node, strand, asked, head);
      end(strand, true);
      watch.accept(granted.existed() ? Outcome.EXISTED : Outcome.STAMPED);
      mine.answer.complete(granted);
    } catch (NoTimeException e) {
      end(strand, false);
      watch.accept(Outcome.NOT_STAMPED);
      mine.answer.completeExceptionally(e.refusal().orElseGet(() -> notStamped(e)));
    } catch (RequestRejectedException | RuntimeException | Error e) { // nobody else would answer
      end(strand, true);
      watch.accept(Outcome.REFUSED);
      mine.answer.completeExceptionally(e);
    } catch (InterruptedException e) {
      end(strand, false);
      watch.accept(Outcome.REFUSED);
      mine.answer.completeExceptionally(closing());
      Thread.currentThread().interrupt();
    }
  }

  private static RequestRejectedException notStamped(NoTimeException e) {
    return new RequestRejectedException(
            RejectionCode.TIME_NOT_STAMPED, "no time came of " + e.getMessage(), e)
        .retryAfterMs(AFTER_FAILURE.toMillis());
  }

  /// The service's own time journals may come first: then the newest head is another one.
  private static Granted granted(
      TimeJournals node, StrandId strand, List<TimeSource> asked, Checkpoint first)
      throws NoTimeException, RequestRejectedException, InterruptedException {
    Checkpoint head = first;
    for (int tries = 1; ; tries++) {
      try {
        return new Granted(stamped(strand, asked, head), false);
      } catch (RequestRejectedException e) {
        if (e.code() != RejectionCode.OUT_OF_RANGE) {
          throw e;
        }
        NewestHead newest = node.newest(strand);
        if (newest.covering().isPresent()) {
          return new Granted(newest.covering().get(), true);
        }
        if (tries == TRIES_MAX) {
          throw new RequestRejectedException(
              RejectionCode.UNAVAILABLE, "other time journals came first", e);
        }
        head = newest.head();
      }
    }
  }

  private static StampedHead stamped(StrandId strand, List<TimeSource> asked, Checkpoint head)
      throws NoTimeException, RequestRejectedException, InterruptedException {
    List<TimeFailure> failures = new ArrayList<>();
    for (TimeSource source : asked) {
      try {
        return source.stamp(strand, head);
      } catch (NoTimeException e) {
        if (e.refusal().isPresent()) {
          throw e;
        }
        failures.addAll(e.failures());
      }
    }
    throw new NoTimeException(failures);
  }

  /// @param timeCame whether a source gave one, or may have: then the next waits
  private synchronized void end(StrandId strand, boolean timeCame) {
    open.remove(strand);
    if (timeCame) {
      timeCameAt.remove(strand);
      timeCameAt.put(strand, nanoTime.getAsLong());
      if (timeCameAt.size() > REMEMBERED_MAX) {
        timeCameAt.pollFirstEntry();
      }
    }
  }

  /// Answers whoever waits, and takes no more.
  public void drain() {
    List<Open> waiting;
    synchronized (this) {
      closed = true;
      waiting = List.copyOf(open.values());
    }
    waiting.forEach(each -> each.answer.completeExceptionally(closing()));
  }

  @Override
  public void close() {
    drain();
    threads.shutdownNow();
  }
}
