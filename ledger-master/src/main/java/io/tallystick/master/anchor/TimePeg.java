package io.tallystick.master.anchor;

import io.tallystick.crypto.Sha256;
import io.tallystick.journal.TimeProof;
import io.tallystick.master.anchor.TimeAuthorities.Stamped;
import io.tallystick.model.Bytes;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.AnchoredAt;
import io.tallystick.node.StampedHead;
import io.tallystick.node.TimeAnchor;
import io.tallystick.node.TimeJournals;
import io.tallystick.node.UnanchoredHead;
import io.tallystick.note.Checkpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The two-way peg to time authorities: the heads of ledgers go out to be stamped, the tokens come
/// back as time journals. What is below a token's size existed at its time, and what is above the
/// time journal was written after. It has threads of its own, and no append waits for any of them.
/// Source: LedgerDB section 5.2.
public final class TimePeg implements TimeSource, AutoCloseable {
  /// Heads that are being stamped at a time.
  static final int IN_FLIGHT_MAX = 8;

  private static final int PAGE = 1_000;
  private static final Duration LOOK = Duration.ofMillis(250);

  private final TimeJournals journals;
  private final TimeAuthorities authorities;
  private final AnchorSchedule schedule;
  private final LongSupplier timeMs;
  private final AnchorWatch watch;
  private final AtomicReference<AnchorStatus> status = new AtomicReference<>(AnchorStatus.NONE);
  private final ExecutorService stampers =
      Executors.newFixedThreadPool(IN_FLIGHT_MAX, Thread.ofVirtual().name("anchor-", 0).factory());
  private final Rounds rounds = new Rounds("anchor", LOOK, this::roundHeld);

  /// @param authorities closed with the peg
  /// @param timeMs the service's time, which its journals have
  public TimePeg(
      TimeJournals journals,
      TimeAuthorities authorities,
      AnchorSchedule schedule,
      LongSupplier timeMs,
      AnchorWatch watch) {
    this.journals = journals;
    this.authorities = authorities;
    this.schedule = schedule;
    this.timeMs = timeMs;
    this.watch = watch;
  }

  public void start() {
    rounds.start();
  }

  public AnchorStatus status() {
    return status.get();
  }

  private boolean roundHeld() throws InterruptedException {
    try {
      return round();
    } catch (RequestRejectedException e) { // the node answers nothing now
      status.updateAndGet(now -> now.failed(e.code().wire()));
      return false;
    } catch (RuntimeException e) { // a peg that ends says nothing any more
      status.updateAndGet(now -> now.failed("internal"));
      watch.faulted(e);
      return false;
    }
  }

  /// Anchors every strand that is due.
  ///
  /// @return whether all went well; if not, the next round had better wait
  /// @throws RequestRejectedException if the node does not list the strands that wait
  boolean round() throws InterruptedException, RequestRejectedException {
    long nowMs = timeMs.getAsLong();
    long oldestMs = Long.MAX_VALUE;
    EnumSet<Outcome> outcomes = EnumSet.noneOf(Outcome.class);
    List<UnanchoredHead> page = journals.unanchored(null, PAGE);
    while (!page.isEmpty()) {
      List<UnanchoredHead> due = new ArrayList<>();
      for (UnanchoredHead head : page) {
        oldestMs = Math.min(oldestMs, head.sinceMs());
        if (schedule.isDue(head, nowMs)) {
          due.add(head);
        }
      }
      // Where one got no token, the others would not get one either.
      if (!outcomes.contains(Outcome.NOT_STAMPED)) {
        anchorAll(due, outcomes);
      }
      page = page.size() < PAGE ? List.of() : journals.unanchored(page.getLast().strand(), PAGE);
    }
    OptionalLong since =
        oldestMs == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(oldestMs);
    status.updateAndGet(now -> now.waiting(since));
    return EnumSet.of(Outcome.ANCHORED).containsAll(outcomes);
  }

  private enum Outcome {
    ANCHORED,
    NOT_STAMPED,
    JOURNAL_REFUSED
  }

  private void anchorAll(List<UnanchoredHead> due, EnumSet<Outcome> outcomes)
      throws InterruptedException {
    List<Callable<Outcome>> tasks = new ArrayList<>();
    for (UnanchoredHead head : due) {
      tasks.add(() -> anchor(head));
    }
    for (Future<Outcome> each : stampers.invokeAll(tasks)) {
      outcomes.add(outcome(each));
    }
  }

  private static Outcome outcome(Future<Outcome> anchored) throws InterruptedException {
    try {
      return anchored.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException fault -> throw fault;
        case InterruptedException closed -> throw closed;
        case Error fault -> throw fault;
        case null, default -> throw new AssertionError(e);
      }
    }
  }

  private Outcome anchor(UnanchoredHead head) throws InterruptedException {
    StrandId strand = head.strand();
    try {
      StampedHead _ = journalled(strand, head.head());
      return Outcome.ANCHORED;
    } catch (NotStampedException e) {
      status.updateAndGet(now -> now.failed(lastCode(e, now.lastFailure())));
      return Outcome.NOT_STAMPED;
    } catch (RequestRejectedException e) {
      if (e.code() == RejectionCode.OUT_OF_RANGE) {
        return Outcome.ANCHORED; // by a time journal that somebody asked for meanwhile
      }
      status.updateAndGet(now -> now.failed(e.code().wire()));
      watch.journalRefused(strand, e);
      return Outcome.JOURNAL_REFUSED;
    }
  }

  private StampedHead journalled(StrandId strand, Checkpoint head)
      throws NotStampedException, RequestRejectedException, InterruptedException {
    Stamped stamped = authorities.stamp(Sha256.hash(Bytes.utf8(head.text()).toArray()));
    long provenMs = stamped.facts().genTimeMs();
    AnchoredAt landed =
        journals.append(
            new TimeAnchor(strand, head, new TimeProof.Token(stamped.token()), provenMs));
    status.updateAndGet(now -> now.anchoredAt(landed.timeMs()));
    watch.anchored(strand);
    return new StampedHead(landed.jsn(), landed.timeMs(), provenMs, head);
  }

  @Override
  public boolean takes(LedgerId ledger) {
    return true;
  }

  @Override
  public StampedHead stamp(StrandId strand, Checkpoint head)
      throws NoTimeException, RequestRejectedException, InterruptedException {
    try {
      return journalled(strand, head);
    } catch (NotStampedException e) {
      status.updateAndGet(now -> now.failed(lastCode(e, now.lastFailure())));
      throw new NoTimeException(
          e.failures().stream().map(each -> new TimeFailure(each.host(), each.code())).toList());
    }
  }

  /// That an authority rests is no reason: it has failed before.
  private static String lastCode(NotStampedException failure, @Nullable String before) {
    String code = before == null ? "resting" : before;
    for (AuthorityFailedException each : failure.failures()) {
      if (each.reason() != AuthorityFailedException.Reason.RESTING) {
        code = each.code();
      }
    }
    return code;
  }

  @Override
  public void close() {
    rounds.interrupt();
    stampers.shutdownNow();
    authorities.close();
    rounds.close();
  }
}
