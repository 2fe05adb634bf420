package io.tallystick.audit;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Ends answers that take too long or fall silent, looking at all of them once a second. A timeout
/// of the socket would bound only the silence, and costs two more calls of the system for each
/// read. Thread-safe.
final class AnswerWatch implements AutoCloseable {
  private static final long LOOK_MILLIS = 1_000;

  private final long silenceNanosMax;
  private final Set<Awaited> underWay = ConcurrentHashMap.newKeySet();
  private final ScheduledThreadPoolExecutor looking =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("audit-deadlines").factory());

  AnswerWatch(long silenceMillisMax) {
    this.silenceNanosMax = TimeUnit.MILLISECONDS.toNanos(silenceMillisMax);
    var _ =
        looking.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /// @param abort ends the answer, from another thread
  /// @param millisMax it may take in all
  Awaited begin(Runnable abort, long millisMax) {
    Awaited awaited = new Awaited(abort, millisMax);
    underWay.add(awaited);
    return awaited;
  }

  private void look() {
    look(System.nanoTime());
  }

  /// @param now as {@link System#nanoTime} tells it
  void look(long now) {
    for (Awaited awaited : underWay) {
      awaited.look(now);
    }
  }

  @Override
  public void close() {
    looking.shutdownNow();
  }

  /// An answer under way, until it is closed.
  final class Awaited implements AutoCloseable {
    private final Runnable abort;
    private final long millisMax;
    private final long begun = System.nanoTime();
    private volatile long heard = begun;
    private volatile boolean late;

    private Awaited(Runnable abort, long millisMax) {
      this.abort = abort;
      this.millisMax = millisMax;
    }

    /// Something of it came.
    void heard() {
      heard = System.nanoTime();
    }

    private void look(long now) {
      if (now - begun > TimeUnit.MILLISECONDS.toNanos(millisMax) || now - heard > silenceNanosMax) {
        late = true;
        try {
          abort.run();
        } catch (RuntimeException _) {
          // The others are looked at all the same, and this one again.
        }
      }
    }

    boolean isLate() {
      return late;
    }

    /// @param cause how reading ended
    SocketTimeoutException late(IOException cause) {
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
      SocketTimeoutException late =
          new SocketTimeoutException("not whole, or silent, after " + seconds + " s");
      late.initCause(cause);
      return late;
    }

    @Override
    public void close() {
      underWay.remove(this);
    }
  }
}
