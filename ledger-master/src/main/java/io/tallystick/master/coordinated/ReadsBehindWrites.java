package io.tallystick.master.coordinated;

import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/// Sees to it that what is read next is not old: a client reads nothing older than its own last
/// change. Callers at the same time share a change. Thread-safe.
public final class ReadsBehindWrites {
  private final SettledChanges changes;
  private final String beat;
  private final RandomGenerator nonces;

  /// Number of the newest change that was begun.
  private final AtomicLong begun = new AtomicLong();

  /// Number of the newest change that was made; guarded by this.
  private long made;

  /// @param beat a path that stands for this alone
  public ReadsBehindWrites(Coordination coordination, String beat, RandomGenerator nonces) {
    this.changes = new SettledChanges(coordination);
    this.beat = beat;
    this.nonces = nonces;
  }

  /// Whatever was answered to anyone before this call is seen by reads behind it.
  ///
  /// @throws IOException if no change could be made; what is read next may be old
  public void catchUp() throws IOException {
    long before = begun.get();
    synchronized (this) {
      if (made > before) {
        return; // begun behind this call
      }
      long mine = begun.incrementAndGet();
      changes.commit(
          List.of(new Change.Put(beat, SharedValue.ofNonce(nonces.nextLong()), Change.ANY)));
      made = mine;
    }
  }
}
