package io.tallystick.server.host;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.tallystick.node.FollowerDoor;
import io.tallystick.server.keys.ServiceKeysException;
import io.tallystick.server.read.Evidence;
import io.tallystick.server.shard.FollowingShard;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.server.state.StateImages;
import io.tallystick.storage.array.ArrayLimits;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One shard of a cluster, which this process may claim: it begins with the savepoint of its folder
/// or with one that was shipped, and its owner notices nothing. Started, it replays on a thread of
/// its own what the owner makes durable. Promoted, it claims the shard and serves it.
public final class FollowedShard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FollowedShard.class);
  private static final long TURN_MILLIS = 200;

  /// While frames come: a look at the bookies finds several.
  private static final long BUSY_TURN_MILLIS = 20;

  private static final long AGAIN_MILLIS_MIN = 1_000;
  private static final long AGAIN_MILLIS_MAX = 60_000;

  private final HostedParts parts;
  private final FollowingShard following;
  private final FollowerDoor reads;
  private final Thread thread;
  private final CountDownLatch end = new CountDownLatch(1); // an interrupt would close files
  private final List<Meter> meters = new ArrayList<>();
  private volatile long caughtUpNanos = System.nanoTime();
  private volatile long foundFrames;
  private volatile long next;
  private long againMillis = AGAIN_MILLIS_MIN;

  private FollowedShard(HostedParts parts, FollowingShard following) {
    this.parts = parts;
    this.following = following;
    this.reads =
        new FollowedReads(following::view, following::damaged, new Evidence(parts.signer()));
    this.next = following.position().number();
    this.thread =
        Thread.ofPlatform()
            .name("shard-" + parts.storage().stream().shard() + "-follow")
            .unstarted(this::run);
  }

  /// Restores the savepoint of a folder. Takes no epoch.
  ///
  /// @param folder of its indexes, made if there is none; a shipped savepoint is fetched into it if
  ///   what is there is older than all that are kept
  /// @throws IOException also if another process holds the folder
  /// @throws ServiceKeysException if the keys are missing, or others than those of before
  /// @throws CorruptStreamException if what is stored contradicts itself
  public static FollowedShard open(
      Path folder, StreamId shard, SharedOwnership ownership, HostedShard.Common common)
      throws IOException, ServiceKeysException, CorruptStreamException {
    HostedParts parts = HostedParts.open(folder, shard, ownership, common);
    try {
      return new FollowedShard(
          parts,
          FollowingShard.open(
              parts.storage(),
              common.config(),
              ArrayLimits.DEFAULT,
              common.hasher(),
              parts.signer(),
              parts.meters()));
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /// Deletes the images of a shard that this server neither serves nor follows: nothing makes zeros
  /// of values in them. Their objects stay, from which a later opening fetches them.
  ///
  /// @param folder as {@link #open} has it
  /// @throws IOException also if the shard is open
  public static void forgetImages(Path folder) throws IOException {
    try (LocalDisk disk = LocalDisk.open(folder)) {
      StateImages.deleteAllBut(disk, Set.of());
    }
  }

  /// Whether there is anything for {@link #forgetImages}.
  public static boolean hasImages(Path folder) throws IOException {
    Path images = folder.resolve(StateImages.DIRECTORY);
    if (!Files.isDirectory(images)) {
      return false;
    }
    try (Stream<Path> files = Files.list(images)) {
      return files.findAny().isPresent();
    }
  }

  /// Follows the stream from now on.
  public FollowedShard start() {
    meters.add(
        Gauge.builder("ledger.follower.lag.ms", this, FollowedShard::lagMs)
            .description("since a follower had all that was durable")
            .strongReference(true)
            .register(parts.meters()));
    meters.add(
        Gauge.builder("ledger.follower.lag.frames", this, each -> each.foundFrames)
            .description("frames that a follower lacked when it last looked")
            .strongReference(true)
            .register(parts.meters()));
    thread.start();
    return this;
  }

  /// Milliseconds since it had all that was durable.
  public long lagMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - caughtUpNanos);
  }

  private void run() {
    long pauseMillis = 0;
    try {
      while (!end.await(pauseMillis, TimeUnit.MILLISECONDS)) {
        pauseMillis = turn();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// @return how long to wait for the next one
  private long turn() {
    long began = System.nanoTime();
    try {
      boolean further = following.turn();
      long now = following.position().number();
      foundFrames = now - next;
      next = now;
      caughtUpNanos = began;
      againMillis = AGAIN_MILLIS_MIN;
      return further ? BUSY_TURN_MILLIS : TURN_MILLIS;
    } catch (IOException | CorruptStreamException e) {
      return pauseAfter(e);
    } catch (RuntimeException | Error e) { // also without memory: the thread must not end unseen
      LOG.error("following shard {} failed", parts.storage().stream().shard(), e);
      return pauseAfter(e);
    }
  }

  private long pauseAfter(Throwable failure) {
    long pauseMillis = againMillis;
    againMillis = Math.min(2 * againMillis, AGAIN_MILLIS_MAX);
    LOG.warn(
        "shard {} cannot be followed now, and is tried again in {} ms: {}",
        parts.storage().stream().shard(),
        pauseMillis,
        failure.toString());
    return pauseMillis;
  }

  /// Reads the pairs of keys that the cluster lists. One that cannot be read now is read when a
  /// signature needs it.
  public void readPairs() {
    parts.readPairs();
  }

  /// Answers what somebody who follows may answer.
  public FollowerDoor reads() {
    return reads;
  }

  /// The first frame that was not replayed when it was last looked.
  public long nextFrame() {
    return next;
  }

  private void stop() {
    end.countDown();
    following.endFetching();
    boolean interrupted = false;
    while (thread.isAlive()) { // it has what is about to be closed, or promoted
      try {
        thread.join();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    meters.forEach(parts.meters()::remove);
  }

  /// Claims the shard over whoever owns it, replays the rest, and serves it. This object ends, also
  /// if that fails.
  ///
  /// @throws IOException also if another server claims the shard at the same time
  /// @throws CorruptStreamException if what is stored contradicts itself
  public HostedShard promote() throws IOException, CorruptStreamException {
    stop();
    try {
      return HostedShard.of(parts, following);
    } catch (IOException | CorruptStreamException | RuntimeException | Error e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    stop();
    try (parts) {
      following.close();
    }
  }
}
