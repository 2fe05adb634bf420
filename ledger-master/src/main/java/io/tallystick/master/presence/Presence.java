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
  private final Coordination coordination;
  private final SettledChanges changes;
  private final ClusterPaths paths;
  private final Self self;
  private final Supplier<List<ShardLoad>> loads;
  private final LongSupplier nanoTime;
  private final RandomGenerator nonces;
  private final long incarnation;

  /// What was last written; null before.
  private @Nullable PresentServer shown;

  private long shownNanos;

  /// The server as it stays while its process runs.
  ///
  /// @param share how many shards its memory lets it write
  /// @param loadEvery how often the load is written at most
  public record Self(
      String id, String address, int share, List<KeyPairKids> pairs, Duration loadEvery) {
    public Self {
      if (!ClusterPaths.isName(id)) {
        throw new IllegalArgumentException("server name " + id);
      }
      if (share < 1) {
        throw new IllegalArgumentException("a share of " + share + " shards");
      }
      pairs = List.copyOf(pairs);
    }
  }

  /// @param loads of all shards that the server writes or follows now
  /// @param nanoTime as {@link System#nanoTime}
  public Presence(
      Coordination coordination,
      ClusterPaths paths,
      Self self,
      Supplier<List<ShardLoad>> loads,
      LongSupplier nanoTime,
      RandomGenerator nonces) {
    this.coordination = coordination;
    this.changes = new SettledChanges(coordination);
    this.paths = paths;
    this.self = self;
    this.loads = loads;
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
    PresentServer now = value();
    boolean due =
        shown == null || nanoTime.getAsLong() - shownNanos >= self.loadEvery.toNanos();
    if (due && !now.shards().equals(seen.shards())) {
      show(new Change.Put(paths.server(self.id), now.encode(), there.get().version()), now);
    }
  }

  private void appear() throws IOException, CorruptStreamException, ServerIdTakenException {
    PresentServer now = value();
    try {
      changes.commit(
          List.of(
              new Change.Create(paths.server(self.id), now.encode(), true),
              new Change.Put(
                  paths.servers(), SharedValue.ofNonce(nonces.nextLong()), Change.ANY)));
      wrote(now);
    } catch (ChangeRefusedException e) {
      Optional<Versioned> there = coordination.read(paths.server(self.id));
      if (e.reason() != ChangeRefusedException.Reason.EXISTS || there.isEmpty()) {
        throw e;
      }
      mine(there.get());
    }
  }

  private void show(Change change, PresentServer now) throws IOException {
    try {
      changes.commit(List.of(change));
      wrote(now);
    } catch (ChangeRefusedException _) {
      // The session has ended since it was read, or a write of ours came late: the next turn looks.
    }
  }

  private void wrote(PresentServer now) {
    shown = now;
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
    return new PresentServer(
        self.id,
        incarnation,
        self.address,
        self.share,
        self.pairs,
        loads.get(),
        nonces.nextLong());
  }

  /// Goes, so that masters need not wait for the end of the session. A server that is shown no more
  /// is no error.
  public void leave() throws IOException, CorruptStreamException {
    String path = paths.server(self.id);
    Optional<Versioned> there = coordination.read(path);
    if (there.isEmpty()
        || PresentServer.decode(path, there.get()).incarnation() != incarnation) {
      return;
    }
    try {
      changes.commit(List.of(new Change.Delete(path, there.get().version())));
    } catch (ChangeRefusedException _) {
      // It has gone already, or is another's.
    }
  }
}
