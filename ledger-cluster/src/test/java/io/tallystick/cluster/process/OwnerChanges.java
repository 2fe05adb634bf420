package io.tallystick.cluster.process;

import io.tallystick.storage.replicated.ShardOwner;
import java.util.concurrent.Callable;

/// Counts how often another server becomes the owner of a shard. A server that claims again what it
/// owns, after a failure of its own writes, raises the epoch, and is no takeover.
final class OwnerChanges implements AutoCloseable {
  /// A takeover takes longer, for the lease that it waits for.
  private static final long LOOK_MILLIS = 200;

  private final Callable<ShardOwner> owner;
  private final long firstEpoch;
  private final Thread thread;
  private volatile ShardOwner newest;
  private volatile long takeovers;

  private OwnerChanges(Callable<ShardOwner> owner) throws Exception {
    this.owner = owner;
    this.newest = owner.call();
    this.firstEpoch = newest.epoch();
    this.thread = Thread.ofPlatform().name("owner-changes").daemon().start(this::work);
  }

  /// Begins.
  static OwnerChanges watch(Callable<ShardOwner> owner) throws Exception {
    return new OwnerChanges(owner);
  }

  private void work() {
    long count = 0;
    try {
      while (true) {
        Thread.sleep(LOOK_MILLIS);
        ShardOwner now = owner.call();
        if (!now.server().equals(newest.server())) {
          takeovers = ++count;
        }
        newest = now;
      }
    } catch (InterruptedException _) {
      // It is over.
    } catch (Exception e) {
      System.out.println("Takeovers are counted no more: " + e);
    }
  }

  long takeovers() {
    return takeovers;
  }

  long claims() {
    return newest.epoch() - firstEpoch;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
