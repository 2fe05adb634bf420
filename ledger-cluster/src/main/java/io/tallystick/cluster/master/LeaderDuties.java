package io.tallystick.cluster.master;

import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the leading master does for all ledgers, begun and ended on a thread of its own: both wait
/// for others. That it leads is no fence: whoever else believes to lead does the same, and what
/// must be there once the sequencer refuses the second time.
final class LeaderDuties implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderDuties.class);
  private static final long CLOSE_SECONDS = 30;
  private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(8);

  private final Beginning beginning;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("master-duties").daemon().factory());

  /// Begun; null while they are not. Of the one thread.
  private @Nullable AutoCloseable begun;

  /// Before which they are not begun again, by {@link System#nanoTime}. Of the one thread.
  private long againNanos = System.nanoTime();

  private long pauseNanos = PAUSE_NANOS_MIN;

  /// Begins them.
  interface Beginning {
    /// @return ends them
    /// @throws Exception whose message says in one line why they cannot begin now
    AutoCloseable begin() throws Exception;
  }

  LeaderDuties(Beginning beginning) {
    this.beginning = beginning;
  }

  /// To be called again and again; does not wait. What could not begin is tried again.
  void turn(boolean leads) {
    if (busy.compareAndSet(false, true)) {
      thread.execute(() -> {
        try {
          settle(leads);
        } finally {
          busy.set(false);
        }
      });
    }
  }

  private void settle(boolean leads) {
    if (leads && begun == null && System.nanoTime() - againNanos < 0) {
      return;
    }
    try {
      if (leads && begun == null) {
        begun = beginning.begin();
        pauseNanos = PAUSE_NANOS_MIN;
        LOG.info("this master leads: it asks those whom its settings name");
      } else if (!leads && begun != null) {
        end();
      }
    } catch (Exception e) { // of any kind: it is tried again at a later turn
      LOG.warn("the leader's duties cannot begin and are tried again: {}", e.toString());
      backOff();
    } catch (Error e) { // a class that is missing, memory: it may pass, and nobody else tells it
      LOG.error("the leader's duties cannot begin and are tried again", e);
      backOff();
    }
  }

  private void backOff() {
    againNanos = System.nanoTime() + pauseNanos;
    pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
  }

  /// Closes all, the last that was opened first.
  static void closeAll(Deque<AutoCloseable> opened) {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) { // of any kind: the others are closed, too
        LOG.warn("a part of the leader's duties did not close cleanly: {}", e.toString());
      }
    }
  }

  private void end() {
    AutoCloseable ending = begun;
    begun = null;
    try {
      if (ending != null) {
        ending.close();
        LOG.info("this master leads no more, and asks nobody");
      }
    } catch (Exception e) {
      LOG.warn("the leader's duties did not end cleanly: {}", e.toString());
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the leader's duties go on after {} s", CLOSE_SECONDS);
        return;
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return;
    }
    end();
  }
}
