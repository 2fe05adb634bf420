package io.tallystick.cluster.history;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.client.failure.VerificationException;
import io.tallystick.model.RejectionCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/// All that clients of one ledger were told. Thread-safe.
public final class History {
  private final Queue<Told> told = new ConcurrentLinkedQueue<>();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();

  /// What a client asks.
  @FunctionalInterface
  interface Asked<T> {
    T ask() throws TallyException;
  }

  void add(Told one) {
    told.add(one);
    switch (one) {
      case Told.Receipted it -> acknowledged.addAndGet(it.journals().size());
      case Told.Promised it -> acknowledged.addAndGet(it.texts().size());
      case Told.Unknown it -> unknown.addAndGet(it.texts().size());
      default -> {}
    }
  }

  /// How many journals were acknowledged, promised ones among them.
  public long acknowledged() {
    return acknowledged.get();
  }

  /// How many journals were sent whose outcome nobody was told.
  public long unknown() {
    return unknown.get();
  }

  List<Told> all() {
    return new ArrayList<>(told);
  }

  /// Appends, and records what came of it.
  void append(List<String> texts, Asked<Function<Told.Span, Told>> asked) {
    long sent = System.nanoTime();
    try {
      Function<Told.Span, Told> made = asked.ask();
      add(made.apply(since(sent)));
    } catch (ServiceUnavailableException e) {
      add(
          e.outcomeUnknown()
              ? new Told.Unknown(since(sent), texts)
              : new Told.Refused(since(sent), texts, "unavailable"));
    } catch (RequestRefusedException e) {
      add(new Told.Refused(since(sent), texts, e.code()));
    } catch (TallyException | RuntimeException e) {
      add(fault(sent, e));
    }
  }

  /// Reads, and records what came of it.
  ///
  /// @param size of the log that the question needs
  void read(long size, Asked<Function<Told.Span, Told>> asked) {
    long sent = System.nanoTime();
    try {
      Function<Told.Span, Told> made = asked.ask();
      add(made.apply(since(sent)));
    } catch (VerificationException | RuntimeException e) {
      add(fault(sent, e));
    } catch (RequestRefusedException e) {
      boolean future = e.code().equals(RejectionCode.FUTURE_SIZE.wire());
      add(future ? new Told.FutureSize(since(sent), size) : new Told.Unread(since(sent)));
    } catch (TallyException e) {
      add(new Told.Unread(since(sent)));
    }
  }

  private static Told.Span since(long sent) {
    return new Told.Span(sent, System.nanoTime());
  }

  private static Told fault(long sent, Exception e) {
    return new Told.Fault(since(sent), e.toString());
  }

  /// Records what no call may end with.
  public void fault(String what) {
    long now = System.nanoTime();
    add(new Told.Fault(new Told.Span(now, now), what));
  }
}
