package io.tallystick.server.sim;

import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.tallystick.hashing.CpuBatchHasher;
import io.tallystick.server.seal.HeadSigner;
import io.tallystick.server.shard.LocalEpochs;
import io.tallystick.server.shard.Shard;
import io.tallystick.server.shard.ShardStorage;
import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.meta.MetaStore;
import io.tallystick.storage.stream.CorruptStreamException;
import io.tallystick.storage.stream.LocalStreamStore;
import io.tallystick.storage.stream.StreamId;
import io.tallystick.storage.stream.StreamStore;
import io.tallystick.testkit.fault.CrashPlan;
import io.tallystick.testkit.fault.CrashingDisk;
import io.tallystick.testkit.fault.CrashingMetaStore;
import io.tallystick.testkit.fault.InMemoryDisk;
import io.tallystick.testkit.fault.InMemoryMetaStore;
import java.io.IOException;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/// The computer that the shard runs on: its disk and its meta store, and what befalls them.
final class Machine {
  static final String STREAM_DIRECTORY = "stream";
  static final StreamId STREAM = new StreamId(0);
  private static final long LARGE_BYTES = 1L << 40;
  private static final int CRASH_SOON_OPERATIONS = 12;

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
  private boolean calm;

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
    if (calm || random.nextInt(100) >= settings.diskFaultPercent()) {
      return CrashPlan.never();
    }
    int operation = random.nextInt(1 << (2 + random.nextInt(8)));
    return switch (random.nextInt(5)) {
      case 0 -> CrashPlan.failForceAt(operation, random.split());
      case 1 ->
          CrashPlan.failTwoForcesAt(
              operation, 1 + random.nextInt(1 << (2 + random.nextInt(8))), random.split());
      case 2 -> CrashPlan.diskFullAt(operation, random.split());
      default -> CrashPlan.at(operation, random.split());
    };
  }

  /// Starts the shard on what is stored.
  Shard start() throws IOException, CorruptStreamException {
    return start(disk, meta, streams -> streams);
  }

  /// Starts a shard on copies that are damaged.
  Shard start(InMemoryDisk damagedDisk, MetaStore damagedMeta)
      throws IOException, CorruptStreamException {
    return start(damagedDisk, damagedMeta, streams -> streams);
  }

  /// Starts a shard on copies, over streams that deceive it.
  Shard start(InMemoryDisk copy, MetaStore copiedMeta, UnaryOperator<StreamStore> deceiving)
      throws IOException, CorruptStreamException {
    return start(new CrashingDisk(copy, CrashPlan.never()), copiedMeta, deceiving);
  }

  private Shard start(Disk rawDisk, MetaStore rawMeta, UnaryOperator<StreamStore> deceiving)
      throws IOException, CorruptStreamException {
    MetaStore onMeta = sabotage.meta(rawMeta);
    Disk onDisk = sabotage.disk(rawDisk);
    LocalStreamStore streams =
        LocalStreamStore.openDeterministic(
            onDisk, STREAM_DIRECTORY, settings.stream(), random.split());
    StreamStore underShard = deceiving.apply(sabotage.streams(streams));
    ShardStorage storage =
        new ShardStorage(
            onDisk, onMeta, underShard, STREAM, new LocalEpochs(onMeta, underShard), clock);
    return Shard.open(
        storage,
        settings.shard(),
        settings.arrays(),
        new CpuBatchHasher(),
        signer,
        new CompositeMeterRegistry(),
        Runnable::run,
        (_, task) -> task.run());
  }

  void close(Shard up) {
    try {
      up.close();
    } catch (IOException e) {
      if (!troubled()) {
        throw new Violation("closing failed without a reason", e);
      }
    }
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

  /// The power goes within the next few operations, if it ever does in this run.
  void crashSoon() {
    if (!calm && settings.diskFaultPercent() > 0) {
      plan.crashAfter(random.nextInt(CRASH_SOON_OPERATIONS), random.split());
    }
  }

  /// From the next power cut on nothing fails any more.
  void calm() {
    calm = true;
  }

  boolean crashed() {
    return plan.crashed();
  }

  /// Whether the disk has given the shard a reason to fail.
  boolean troubled() {
    return cramped || plan.fired();
  }

  /// Faults of the disk since it was last replaced.
  int faults() {
    return plan.faults();
  }

  /// Whether a commit turn would not wait for the index loop.
  boolean hasRoom(Shard up) {
    return up.unsealedFrames() < settings.shard().indexing().aheadFrames();
  }

  long admittedBytesMax() {
    return settings.shard().requests().admittedBytesMax();
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
