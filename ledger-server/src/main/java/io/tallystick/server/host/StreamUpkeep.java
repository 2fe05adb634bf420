package io.tallystick.server.host;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.ReplicatedStreamStore;
import io.tallystick.storage.replicated.SegmentUpkeep;
import io.tallystick.storage.replicated.ShardClaim;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.StreamFencedException;
import io.tallystick.storage.stream.StreamId;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks after the logs of a shard's stream as long as this process owns it: after each claim it
/// deletes those that earlier owners left over, then and every minute those that were retired, and
/// it replaces thin segments. It stops when the shard is fenced, until the next claim.
final class StreamUpkeep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamUpkeep.class);
  private static final long LOOK_MILLIS = 1_000;
  private static final long PAUSE_MILLIS = 60_000;
  private static final long PAUSE_MILLIS_MAX = 600_000;
  private static final long SWEEP_MILLIS = 3_600_000;
  private static final long NONE = -1;

  private final StreamId shard;
  private final ReplicatedStreamStore streams;
  private final SharedOwnership ownership;
  private final BooleanSupplier serves;
  private final Thread thread;
  private final CountDownLatch end = new CountDownLatch(1); // an interrupt would close files
  private long doneEpoch = NONE;
  private long doneMs;
  private long sweptMs;
  private long pauseMillis = PAUSE_MILLIS;
  private long fencedEpoch = NONE;

  /// @param serves whether the shard takes itself for the owner
  StreamUpkeep(
      StreamId shard,
      ReplicatedStreamStore streams,
      SharedOwnership ownership,
      BooleanSupplier serves) {
    this.shard = shard;
    this.streams = streams;
    this.ownership = ownership;
    this.serves = serves;
    this.thread =
        Thread.ofPlatform().name("shard-" + shard.shard() + "-upkeep").unstarted(this::run);
  }

  StreamUpkeep register(MeterRegistry registry) {
    Gauge.builder("ledger.stream.thin.segments", this, each -> each.thinSegments())
        .description("closed segments some entries of which have fewer copies than they should")
        .strongReference(true)
        .register(registry);
    FunctionCounter.builder(
            "ledger.stream.retired.bytes", streams, ReplicatedStreamStore::retiredBytes)
        .description("of segments that were replaced or dropped")
        .register(registry);
    return this;
  }

  StreamUpkeep start() {
    thread.start();
    return this;
  }

  private int thinSegments() {
    return ownership.claim().isEmpty() ? 0 : streams.upkeep(shard).thinSegments();
  }

  private void run() {
    try {
      while (!end.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        turn(System.nanoTime() / 1_000_000);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Does what is due.
  ///
  /// @param nowMs of a clock that never goes back
  /// @return whether anything was due and succeeded
  boolean turn(long nowMs) {
    long epoch = ownership.claim().map(ShardClaim::epoch).orElse(NONE);
    boolean claimed = epoch != doneEpoch;
    if (epoch == fencedEpoch
        || !serves.getAsBoolean()
        || !(claimed || nowMs - doneMs >= pauseMillis)) {
      return false;
    }
    doneEpoch = epoch;
    doneMs = nowMs;
    try {
      look(claimed || nowMs - sweptMs >= SWEEP_MILLIS, nowMs);
      pauseMillis = PAUSE_MILLIS;
      return true;
    } catch (StreamFencedException e) {
      fencedEpoch = epoch;
      LOG.info("shard {}: no more upkeep in epoch {}: {}", shard.shard(), epoch, e.getMessage());
    } catch (IOException | CorruptStreamException | RuntimeException e) {
      pauseMillis = Math.min(2 * pauseMillis, PAUSE_MILLIS_MAX);
      LOG.warn(
          "shard {}: upkeep failed and goes on in {} s: {}",
          shard.shard(),
          TimeUnit.MILLISECONDS.toSeconds(pauseMillis),
          e.toString());
    }
    return false;
  }

  private void look(boolean sweep, long nowMs) throws IOException, CorruptStreamException {
    SegmentUpkeep upkeep = streams.upkeep(shard);
    SegmentUpkeep.Retired retired = upkeep.deleteRetired();
    for (long log : retired.refused()) {
      LOG.error(
          "shard {}: log {} stands as retired, which no owner of the shard did: it is kept. Who"
              + " else can write to ZooKeeper?",
          shard.shard(),
          log);
    }
    int deleted = retired.deleted();
    if (sweep) {
      deleted += upkeep.sweep();
      sweptMs = nowMs;
    }
    int replaced = 0;
    while (end.getCount() > 0 && upkeep.replaceThin()) {
      replaced++;
    }
    if (deleted + replaced > 0) {
      LOG.info(
          "shard {}: {} logs were left over and are deleted, {} thin segments replaced",
          shard.shard(),
          deleted,
          replaced);
    }
  }

  /// Waits for the end of what it is at.
  @Override
  public void close() {
    end.countDown();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
