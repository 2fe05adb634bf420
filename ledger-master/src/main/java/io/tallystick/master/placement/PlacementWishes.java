package io.tallystick.master.placement;

import io.tallystick.master.coordinated.SettledChanges;
import io.tallystick.master.coordinated.SharedValue;
import io.tallystick.storage.replicated.ChangeRefusedException;
import io.tallystick.storage.replicated.ChangeRefusedException.Reason;
import io.tallystick.storage.replicated.ClusterPaths;
import io.tallystick.storage.replicated.Coordination;
import io.tallystick.storage.replicated.Coordination.Change;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// What an operator wants of the placement; masters heed it. It lasts until it is taken back. One
/// thread uses it.
public final class PlacementWishes {
  private final SettledChanges changes;
  private final ClusterPaths paths;
  private final LongSupplier timeMs;
  private final RandomGenerator nonces;

  /// @param timeMs milliseconds since 1970
  public PlacementWishes(
      Coordination coordination,
      ClusterPaths paths,
      LongSupplier timeMs,
      RandomGenerator nonces) {
    this.changes = new SettledChanges(coordination);
    this.paths = paths;
    this.timeMs = timeMs;
    this.nonces = nonces;
  }

  /// Wants a server to write a shard, as long as it is alive and has room.
  ///
  /// @throws ChangeRefusedException if there is no such shard
  public void want(int shard, String server) throws IOException {
    Change.Create create = wish(shard, server);
    if (!made(create, Reason.EXISTS)) {
      changes.commit(List.of(new Change.Put(create.path(), create.value(), Change.ANY)));
    }
  }

  private Change.Create wish(int shard, String server) {
    if (!ClusterPaths.isName(server)) {
      throw new IllegalArgumentException("server name " + server);
    }
    ShardTarget wanted = new ShardTarget(server, timeMs.getAsLong(), nonces.nextLong());
    return new Change.Create(paths.wanted(new StreamId(shard)), wanted.encode(), false);
  }

  /// Leaves a shard to the masters again; one that is left to them is no error.
  public void leave(int shard) throws IOException {
    made(new Change.Delete(paths.wanted(new StreamId(shard)), Change.ANY), Reason.ABSENT);
  }

  /// Wants a server to write no shard; one that is drained already is no error.
  public void drain(String server) throws IOException {
    made(
        new Change.Create(
            paths.drained(server), SharedValue.ofNonce(nonces.nextLong()), false),
        Reason.EXISTS);
  }

  /// Takes that back; a server that is not drained is no error.
  public void undrain(String server) throws IOException {
    made(new Change.Delete(paths.drained(server), Change.ANY), Reason.ABSENT);
  }

  /// @param fine a refusal that is no error
  private boolean made(Change change, Reason fine) throws IOException {
    try {
      changes.commit(List.of(change));
      return true;
    } catch (ChangeRefusedException e) {
      if (e.reason() != fine) {
        throw e;
      }
      return false;
    }
  }
}
