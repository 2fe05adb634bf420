package io.tallystick.server.sim;

import io.tallystick.crypto.CpuBatchHasher;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.server.shard.SteppedShard;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskFullException;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.SplittableRandom;

/// The computer that the shard runs on: its disk and its meta store, and what befalls them.
final class Machine {
  static final String STREAM_DIRECTORY = "stream";
  static final StreamId STREAM = new StreamId(0);
  private static final long LARGE_BYTES = 1L << 40;

  private final SimSettings settings;
  private final SplittableRandom random;
  private final InstantSource clock;
  private final HeadSigner signer;
  private final Sabotage sabotage;
  private CrashPlan plan;
  private CrashingDisk disk;
  private CrashingMetaStore meta;
  private boolean cramped;
  private boolean shortage;

  Machine(
      SimSettings settings,
      SplittableRandom random,
      InstantSource clock,
      HeadSigner signer,
      Sabotage sabotage) {
    this.settings = settings;
    this.random = random;
    this.clock = clock;
    this.signer = signer;
    this.sabotage = sabotage;
    this.plan = draw();
    this.disk = new CrashingDisk(plan);
    this.meta = new CrashingMetaStore(plan);
  }

  private CrashPlan draw() {
    if (random.nextInt(100) >= settings.diskFaultPercent()) {
      return CrashPlan.never();
    }
    int operation = random.nextInt(1 << (2 + random.nextInt(8)));
    return switch (random.nextInt(4)) {
      case 0 -> CrashPlan.failForceAt(operation, random.split());
      case 1 -> CrashPlan.diskFullAt(operation, random.split());
      default -> CrashPlan.at(operation, random.split());
    };
  }

  /// Starts the shard on what is stored.
  SteppedShard start() throws IOException, CorruptStreamException {
    return start(disk, meta);
  }

  /// Starts a shard on copies that are damaged.
  SteppedShard start(InMemoryDisk damagedDisk, MetaStore damagedMeta)
      throws IOException, CorruptStreamException {
    return start(new CrashingDisk(damagedDisk, CrashPlan.never()), damagedMeta);
  }

  private SteppedShard start(Disk rawDisk, MetaStore onMeta)
      throws IOException, CorruptStreamException {
    Disk onDisk = sabotage.disk(rawDisk);
    LocalStreamStore streams =
        LocalStreamStore.openDeterministic(
            onDisk, STREAM_DIRECTORY, settings.stream(), random.split());
    ShardStorage storage =
        new ShardStorage(onDisk, onMeta, sabotage.streams(streams), STREAM, clock);
    return new SteppedShard(
        storage, settings.shard(), new CpuBatchHasher(), signer, settings.arrays());
  }

  /// The power goes, and comes back: what was not forced may be there, in part, or not.
  void cutPower() {
    plan.crashNow();
    InMemoryDisk survivingDisk = disk.afterCrash();
    InMemoryMetaStore survivingMeta = meta.afterCrash();
    plan = draw();
    disk = new CrashingDisk(survivingDisk, plan);
    meta = new CrashingMetaStore(survivingMeta, plan);
    cramped = false;
  }

  boolean crashed() {
    return plan.crashed();
  }

  /// Whether the disk has given the shard a reason to fail.
  boolean troubled() {
    return cramped || plan.fired();
  }

  /// Leaves so many bytes free.
  void cramp(long bytes) throws IOException {
    long used = LARGE_BYTES - disk.freeBytes();
    cramped = true;
    shortage = true;
    disk.limit(used + bytes);
  }

  void relieve() {
    disk.limit(LARGE_BYTES);
    cramped = false;
  }

  /// After a failure for want of room others free the disk.
  ///
  /// @return whether it was that
  boolean makesRoom(Exception cause) {
    boolean full = cause instanceof DiskFullException;
    if (full) {
      relieve();
    }
    return full;
  }

  /// Whether the shard may still believe that there is no room: it looks again from time to time.
  boolean shortage() {
    return shortage || troubled();
  }

  /// It took something, so it knows better now.
  void tookAppends() {
    shortage = cramped;
  }

  boolean cramped() {
    return cramped;
  }

  CrashingDisk disk() {
    return disk;
  }

  CrashingMetaStore meta() {
    return meta;
  }
}
