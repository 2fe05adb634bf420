package io.tallystick.cluster.proxy;

import io.tallystick.journal.SignedRequest;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.AppendTicket.Committed;
import io.tallystick.node.AppendWaiter;
import io.tallystick.node.Appending;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Submissions that wait while their shard changes hands. What the owner refuses because it is not
/// available, or does not answer, is sent again, the same bytes, until it is answered or its time
/// is over: a repeat that was committed before gets its journal. Thread-safe.
final class ParkedAppends implements AutoCloseable {
  private static final long AGAIN_MILLIS = 50;

  private final Owners owners;
  private final long parkNanos;
  private final long bytesMax;
  private final ScheduledExecutorService again =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("cluster-parked").daemon().factory());
  private final List<Parked> parked = new ArrayList<>();
  private long bytes;
  private boolean closed;

  /// Hands submissions to the owners of their shards, and fails those whose shard has none.
  @FunctionalInterface
  interface Owners {
    void append(List<Appending> submissions, int following);
  }

  /// @param parkMillis how long one waits at most, from its first sending on
  /// @param bytesMax of all that wait; beyond it nothing is sent again
  ParkedAppends(Owners owners, long parkMillis, long bytesMax) {
    this.owners = owners;
    this.parkNanos = TimeUnit.MILLISECONDS.toNanos(parkMillis);
    this.bytesMax = bytesMax;
    var _ =
        again.scheduleWithFixedDelay(
            this::sendAgain, AGAIN_MILLIS, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  void append(List<Appending> submissions, int following) {
    long end = System.nanoTime() + parkNanos;
    List<Appending> waiting = new ArrayList<>(submissions.size());
    for (Appending each : submissions) {
      waiting.add(new Appending(each.submission(), new Parked(each, end)));
    }
    owners.append(waiting, following);
  }

  private void sendAgain() {
    List<Appending> due = new ArrayList<>();
    synchronized (this) {
      for (Parked each : parked) {
        due.add(new Appending(each.appending.submission(), each));
      }
      parked.clear();
      bytes = 0;
    }
    if (!due.isEmpty()) {
      owners.append(due, 0);
    }
  }

  private synchronized boolean park(Parked one) {
    long its = one.sizeBytes();
    if (closed || System.nanoTime() - one.end > 0 || bytes + its > bytesMax) {
      return false;
    }
    bytes += its;
    parked.add(one);
    return true;
  }

  /// The stream of waiters that one stream of callers is.
  private record ParkedStream(AppendWaiter.Stream callers) implements AppendWaiter.Stream {
    @Override
    public void receipted(AppendWaiter.ReceiptedRun run) {
      List<AppendWaiter> waiters = new ArrayList<>(run.waiters().size());
      for (AppendWaiter each : run.waiters()) {
        waiters.add(each instanceof Parked its ? its.appending.waiter() : each);
      }
      callers.receipted(
          new AppendWaiter.ReceiptedRun(waiters, run.committed(), run.rangeReceipt()));
    }
  }

  /// Waits in a caller's place. It is at an owner or parked, never both.
  private final class Parked implements AppendWaiter {
    private final Appending appending;
    private final long end;
    private @Nullable Throwable unknown;
    private boolean told;

    Parked(Appending appending, long end) {
      this.appending = appending;
      this.end = end;
    }

    private long sizeBytes() {
      long size = appending.submission().attestationBytes().size();
      for (SignedRequest each : appending.submission().requests()) {
        size += each.sizeBytes();
      }
      return size;
    }

    @Override
    public Stream stream() {
      return new ParkedStream(appending.waiter().stream());
    }

    @Override
    public boolean wantsCommitted() {
      return appending.waiter().wantsCommitted();
    }

    @Override
    public void committed(Committed outcome) {
      synchronized (this) {
        if (told) {
          return;
        }
        told = true;
      }
      appending.waiter().committed(outcome);
    }

    /// Whoever was sent without an answer may be committed, whatever its repeat is refused for.
    @Override
    public void failed(Throwable cause) {
      boolean refused = cause instanceof RequestRejectedException;
      boolean passes =
          cause instanceof RequestRejectedException it
              ? it.code() == RejectionCode.UNAVAILABLE
              : cause instanceof IOException;
      Throwable say;
      synchronized (this) {
        if (!refused && unknown == null) {
          unknown = cause;
        }
        say = unknown == null ? cause : unknown;
      }
      if (!passes || !park(this)) {
        appending.waiter().failed(say);
      }
    }
  }

  @Override
  public void close() {
    again.shutdownNow();
    List<Parked> left;
    synchronized (this) {
      closed = true;
      left = List.copyOf(parked);
      parked.clear();
      bytes = 0;
    }
    for (Parked each : left) {
      each.failed(
          new RequestRejectedException(RejectionCode.UNAVAILABLE, "the proxy is being stopped"));
    }
  }
}
