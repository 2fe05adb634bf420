package io.tallystick.master.presence;

import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.replicated.Coordination.Versioned;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Shows a server as long as its session lasts, and again after a session was lost. Of two servers
/// of one id the second is refused until the first one's session has ended. Whoever lists a key
/// pair learns of each server that appears meanwhile, since each writes the parent too. One thread
/// uses it.
public final class Presence {
  /// A smaller change of a clock is not written.
  private static final long CLOCK_STEP_MS = 500;

  private final Coordination coordination;
  private final SettledChanges changes;
  private final ClusterPaths paths;
  private final Self self;
  private final Supplier<Now> now;
  private final LongSupplier nanoTime;
  private final RandomGenerator nonces;
  private final long incarnation;

  /// What was last written; null before.
  private @Nullable PresentServer shown;

  private long shownNanos;

  /// The server as it stays while its process runs.
  ///
  /// @param loadEvery how often what changes is written at most
  public record Self(String id, String address, Duration loadEvery) {
    public Self {
      if (!ClusterPaths.isName(id)) {
        throw new IllegalArgumentException("server name " + id);
      }
    }
  }

  /// The server as it is now.
  ///
  /// @param clockAheadMs how far its clock is ahead of the coordination's
  /// @param share how many shards it may write; 0 while it must not claim any
  /// @param pairs of service keys that it holds
  /// @param loads of all shards that it writes or follows
  public record Now(long clockAheadMs, int share, List<KeyPairKids> pairs, List<ShardLoad> loads) {
    public Now {
      pairs = List.copyOf(pairs);
      loads = List.copyOf(loads);
    }
  }

  /// @param nanoTime as {@link System#nanoTime}
  public Presence(
      Coordination coordination,
      ClusterPaths paths,
      Self self,
      Supplier<Now> now,
      LongSupplier nanoTime,
      RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.paths = paths;
    this.self = self;
    this.now = now;
    this.nanoTime = nanoTime;
    this.nonces = nonces;
    this.incarnation = nonces.nextLong();
  }

  public long incarnation() {
    return incarnation;
  }

  /// Sees to it that the server is shown, with a load that is not too old. To be called every
  /// second or so.
  ///
  /// @throws ServerIdTakenException if another server of this id is there
  /// @throws IOException if it is not known whether the server is shown; the next turn looks again
  public void turn() throws IOException, CorruptStreamException, ServerIdTakenException {
    Optional<Versioned> there = coordination.read(paths.server(self.id));
    if (there.isEmpty()) {
      appear();
      return;
    }
    PresentServer seen = mine(there.get());
    PresentServer value = value();
    boolean due =
        shown == null
            || value.share() != seen.share()
            || nanoTime.getAsLong() - shownNanos >= self.loadEvery.toNanos();
    if (due && differs(value, seen)) {
      show(new Change.Put(paths.server(self.id), value.encode(), there.get().version()), value);
    }
  }

  private static boolean differs(PresentServer value, PresentServer seen) {
    return !value.shards().equals(seen.shards())
        || !value.pairs().equals(seen.pairs())
        || value.share() != seen.share()
        || Math.abs(value.clockAheadMs() - seen.clockAheadMs()) >= CLOCK_STEP_MS;
  }

  private void appear() throws IOException, CorruptStreamException, ServerIdTakenException {
    PresentServer value = value();
    try {
      changes.commit(
          List.of(
              new Change.Create(paths.server(self.id), value.encode(), true),
              new Change.Put(paths.servers(), SharedValue.ofNonce(nonces.nextLong()), Change.ANY)));
      wrote(value);
    } catch (ChangeRefusedException e) {
      Optional<Versioned> there = coordination.read(paths.server(self.id));
      if (e.reason() != ChangeRefusedException.Reason.EXISTS || there.isEmpty()) {
        throw e;
      }
      mine(there.get());
    }
  }

  private void show(Change change, PresentServer value) throws IOException {
    try {
      changes.commit(List.of(change));
      wrote(value);
    } catch (ChangeRefusedException _) {
      // The session has ended since it was read, or a write of ours came late: the next turn looks.
    }
  }

  private void wrote(PresentServer value) {
    shown = value;
    shownNanos = nanoTime.getAsLong();
  }

  private PresentServer mine(Versioned there)
      throws CorruptStreamException, ServerIdTakenException {
    PresentServer seen = PresentServer.decode(paths.server(self.id), there);
    if (seen.incarnation() != incarnation) {
      throw new ServerIdTakenException(seen);
    }
    return seen;
  }

  private PresentServer value() {
    Now is = now.get();
    return new PresentServer(
        self.id,
        incarnation,
        self.address,
        is.clockAheadMs(),
        is.share(),
        is.pairs(),
        is.loads(),
        nonces.nextLong());
  }

  /// Goes, so that masters need not wait for the end of the session. A server that is shown no more
  /// is no error.
  public void leave() throws IOException, CorruptStreamException {
    String path = paths.server(self.id);
    Optional<Versioned> there = coordination.read(path);
    if (there.isEmpty() || PresentServer.decode(path, there.get()).incarnation() != incarnation) {
      return;
    }
    try {
      changes.commit(List.of(new Change.Delete(path, there.get().version())));
    } catch (ChangeRefusedException _) {
      // It has gone already, or is another's.
    }
  }
}
