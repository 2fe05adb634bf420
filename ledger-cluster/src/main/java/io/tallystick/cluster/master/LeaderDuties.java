package io.tallystick.cluster.master;

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

  private final Beginning beginning;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("master-duties").daemon().factory());

  /// Begun; null while they are not. Of the one thread.
  private @Nullable AutoCloseable begun;

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
    try {
      if (leads && begun == null) {
        begun = beginning.begin();
        LOG.info("this master leads: it asks those whom its settings name");
      } else if (!leads && begun != null) {
        end();
      }
    } catch (Exception e) { // of any kind: it is tried again at a later turn
      LOG.warn("the leader's duties cannot begin and are tried again: {}", e.toString());
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
