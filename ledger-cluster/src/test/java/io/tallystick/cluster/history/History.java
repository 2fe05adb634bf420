package io.tallystick.cluster.history;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Digest;
import io.tallystick.model.RejectionCode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/// All that clients of one ledger were told. Thread-safe.
public final class History {
  /// With what an honest service may refuse a member of an open ledger, whatever becomes of its
  /// processes.
  private static final Set<String> MAY_REFUSE =
      Set.of(RejectionCode.UNAVAILABLE.wire(), RejectionCode.RATE_LIMITED.wire());

  private final List<Long> erased = new CopyOnWriteArrayList<>();
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
      case Told.Erased it -> erased.add(it.jsn());
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

  /// One of the journals whose erasing was acknowledged.
  OptionalLong someErased(RandomGenerator random) {
    List<Long> all = List.copyOf(erased);
    return all.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(all.get(random.nextInt(all.size())));
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
              : new Told.Refused(since(sent), texts, RejectionCode.UNAVAILABLE.wire()));
    } catch (RequestRefusedException e) {
      add(new Told.Refused(since(sent), texts, e.code()));
      if (!mayRefuseChange(e)) {
        add(fault(sent, e));
      }
    } catch (Throwable e) { // what was sent may stand
      add(new Told.Unknown(since(sent), texts));
      add(fault(sent, e));
    }
  }

  /// Has something changed that no text names, and records what came of it.
  ///
  /// @param unknown what is recorded if the outcome is
  void change(Asked<Function<Told.Span, Told>> asked, Function<Told.Span, Told> unknown) {
    long sent = System.nanoTime();
    try {
      Function<Told.Span, Told> made = asked.ask();
      add(made.apply(since(sent)));
    } catch (ServiceUnavailableException e) {
      add(e.outcomeUnknown() ? unknown.apply(since(sent)) : new Told.Unread(since(sent)));
    } catch (RequestRefusedException e) {
      add(mayRefuseChange(e) ? new Told.Unread(since(sent)) : fault(sent, e));
    } catch (Throwable e) {
      add(unknown.apply(since(sent)));
      add(fault(sent, e));
    }
  }

  /// A request may also be on its way for too long.
  private static boolean mayRefuseChange(RequestRefusedException e) {
    return MAY_REFUSE.contains(e.code()) || e.code().equals(RejectionCode.EXPIRED.wire());
  }

  /// Reads, and records what came of it.
  ///
  /// @param size of the log that the question needs
  void read(long size, Asked<Function<Told.Span, Told>> asked) {
    long sent = System.nanoTime();
    try {
      Function<Told.Span, Told> made = asked.ask();
      add(made.apply(since(sent)));
    } catch (ServiceUnavailableException _) {
      add(new Told.Unread(since(sent)));
    } catch (RequestRefusedException e) {
      boolean future = e.code().equals(RejectionCode.FUTURE_SIZE.wire());
      add(future ? new Told.FutureSize(since(sent), size) : refused(sent, e));
    } catch (Throwable e) {
      add(fault(sent, e));
    }
  }

  /// Reads as a member that may have been revoked, and records what came of it.
  ///
  /// @return whether it was refused as no member
  boolean readAs(Digest kid, Asked<?> asked) {
    long sent = System.nanoTime();
    try {
      var _ = asked.ask();
      add(new Told.ReadBy(since(sent), kid));
    } catch (ServiceUnavailableException _) {
      add(new Told.Unread(since(sent)));
    } catch (RequestRefusedException e) {
      boolean away = e.code().equals(RejectionCode.TOKEN_INVALID.wire());
      add(away ? new Told.TurnedAway(since(sent), kid) : refused(sent, e));
      return away;
    } catch (Throwable e) {
      add(fault(sent, e));
    }
    return false;
  }

  private static Told refused(long sent, RequestRefusedException e) {
    return MAY_REFUSE.contains(e.code()) ? new Told.Unread(since(sent)) : fault(sent, e);
  }

  private static Told.Span since(long sent) {
    return new Told.Span(sent, System.nanoTime());
  }

  private static Told fault(long sent, Throwable e) {
    return new Told.Fault(since(sent), e.toString());
  }

  /// Records what no call may end with.
  public void fault(String what) {
    long now = System.nanoTime();
    add(new Told.Fault(new Told.Span(now, now), what));
  }
}
