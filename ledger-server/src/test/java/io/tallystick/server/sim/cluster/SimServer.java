package io.tallystick.server.sim.cluster;

import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.sim.Violation;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A server with a disk of its own: it follows the shard, claims it when told to, and serves it.
/// When it dies, what it had in memory goes; another process of it begins with the disk.
final class SimServer {
  static final StreamId SHARD = new StreamId(0);
  static final long START_MS = 1_790_000_000_000L;
  private static final int AHEAD_FRAMES = 3;
  private static final long IDLE_NANOS = 20_000_000;
  private static final long FOLLOW_NANOS = 60_000_000;
  private static final long RETRY_NANOS = 100_000_000;
  private static final long DEAD_NANOS = 1_500_000_000;
  private static final int EMPTY_DISK_ONE_IN = 8;

  /// Something that is asked of a server, on its thread.
  @FunctionalInterface
  interface Ask {
    /// @param shard null if it serves none
    void on(SimServer server, @Nullable Shard shard);
  }

  final String name;
  final Baton.Actor actor;
  private final ClusterWorld world;
  private final SplittableRandom random;
  private final long wallSkewMs;
  private final InMemoryDisk disk = new InMemoryDisk();
  private final InMemoryMetaStore meta = new InMemoryMetaStore();
  private final Deque<Ask> inbox = new ArrayDeque<>();
  private boolean claims;
  private boolean serving;
  private boolean up = true;

  SimServer(String name, ClusterWorld world, SplittableRandom random) {
    this.name = name;
    this.world = world;
    this.random = random;
    this.wallSkewMs = random.nextLong(500);
    this.actor = world.baton().add(this::run);
  }

  /// Something arrives.
  void receive(Ask ask) {
    inbox.add(ask);
    actor.wake();
  }

  /// It is to claim the shard.
  void suspectOwner() {
    claims = true;
    actor.wake();
  }

  boolean isServing() {
    return serving;
  }

  /// Its process ends.
  void kill() {
    if (up) {
      actor.die();
    }
  }

  long wallMs() {
    return START_MS + wallSkewMs + world.baton().nowNanos() / 1_000_000;
  }

  private void run() {
    while (true) {
      try {
        new SimProcess().run();
      } catch (Baton.Died _) {
        actor.revive();
        inbox.clear();
        up = false;
        serving = false;
        claims = false;
        if (random.nextInt(EMPTY_DISK_ONE_IN) == 0) {
          loseDisk();
        }
        actor.sleep(random.nextLong(DEAD_NANOS));
        up = true;
      }
    }
  }

  private void loseDisk() {
    try {
      SimSavepoints.replace(disk, new InMemoryDisk());
      SimSavepoints.replace(meta, new InMemoryMetaStore());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// From a start to a death.
  private final class SimProcess {
    private ServerSeat seat = sit();
    private @Nullable FollowingShard follower;

    /// A reader of a stream of which its store has had a writer follows that writer: who is the
    /// owner no longer begins with a new store.
    private ServerSeat sit() {
      return ServerSeat.of(world, name, actor, actor::sleep, SimServer.this::instant, disk, meta);
    }

    void run() {
      while (true) {
        actor.check();
        try {
          turn();
        } catch (IOException _) {
          actor.check();
          actor.sleep(1 + random.nextLong(RETRY_NANOS));
        } catch (CorruptStreamException e) {
          actor.check();
          throw new Violation(name + " cannot follow the stream", e);
        }
      }
    }

    private void turn() throws IOException, CorruptStreamException {
      FollowingShard current = follower;
      if (current == null) {
        current = seat.follow();
        follower = current;
      }
      boolean further = current.turn();
      answer(null);
      if (claims) {
        claims = false;
        follower = null;
        serve(current.promote(Runnable::run, (_, task) -> task.run()));
      } else if (!further) {
        actor.sleep(1 + random.nextLong(FOLLOW_NANOS));
      }
    }

    private void answer(@Nullable Shard shard) {
      while (!inbox.isEmpty()) {
        inbox.remove().on(SimServer.this, shard);
        actor.check();
      }
    }

    private void serve(Shard shard) throws IOException, CorruptStreamException {
      world.statistics().takeovers++;
      serving = true;
      claims = false;
      while (shard.phase() != Shard.Phase.READ_ONLY && shard.phase() != Shard.Phase.ENDED) {
        actor.check();
        if (shard.phase() == Shard.Phase.SERVING) {
          if (!inbox.isEmpty() && !shard.lease().isHeld()) {
            turns(shard); // who asks for a lease waits for a frame
          }
          answer(shard);
          turns(shard);
        } else {
          answer(shard);
          shard.waitingTurn(0);
          actor.sleep(1 + random.nextLong(RETRY_NANOS));
        }
      }
      serving = false;
      checkReason(shard);
      shard.close();
      seat = sit();
    }

    /// It stops because of others, not because something is wrong here.
    private void checkReason(Shard shard) {
      actor.check();
      Throwable stopped = shard.stopped();
      if (!(stopped instanceof IOException)) {
        throw new Violation(name + " stopped", stopped);
      }
    }

    private void turns(Shard shard) throws IOException, CorruptStreamException {
      if (shard.phase() != Shard.Phase.SERVING) {
        return;
      }
      boolean idle = shard.queued() == 0 && shard.unsealedFrames() == 0;
      boolean more = true;
      if (shard.unsealedFrames() < AHEAD_FRAMES) {
        more = shard.commitTurn(0);
      }
      actor.check();
      if (more && (shard.unsealedFrames() == AHEAD_FRAMES || random.nextBoolean())) {
        more = shard.indexTurn(0);
        actor.check();
      }
      if (!more) {
        end(shard);
      } else if (idle) {
        upkeep(shard);
        actor.sleep(1 + random.nextLong(IDLE_NANOS));
      }
    }

    private void end(Shard shard) {
      world.statistics().endings++;
      while (shard.commitTurn(0)) {
        actor.check();
      }
      while (shard.indexTurn(0)) {
        actor.check();
      }
      var _ = shard.endServing();
      actor.check();
    }

    private void upkeep(Shard shard) throws CorruptStreamException {
      int drawn = random.nextInt(100);
      try {
        if (drawn < 6) {
          seat.ship(shard);
        } else if (drawn < 9) {
          seat.drop();
        } else if (drawn < 11) {
          seat.sweep();
        }
      } catch (IOException _) {
        actor.check(); // another time
      }
    }
  }

  Instant instant() {
    return Instant.ofEpochMilli(wallMs());
  }
}
