package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import java.io.IOException;

/// The gauges of a shard, as an operator sees them at any moment.
final class ShardGauges {
  private ShardGauges() {}

  static void register(
      ShardMetrics metrics, Shard shard, Intake intake, Admission admission, Disk disk) {
    metrics.gauge(
        "ledger.shard.appendable",
        "1 while the shard can be read and takes appends, else 0",
        shard,
        each -> each.isReadable() && each.stopped() == null && each.stalls().now() == null ? 1 : 0);
    metrics.gauge(
        "ledger.disk.stalled.seconds",
        "how long the disk has not come back from one operation; 0 while it works",
        shard.stalls(),
        DiskStalls::seconds);
    metrics.gauge(
        "ledger.disk.free.bytes",
        "free room of the data directory, or of the second disk if that has less",
        disk,
        ShardGauges::freeBytes);
    metrics.gauge(
        "ledger.intake.queue", "submissions that wait for the sequencer", intake, Intake::size);
    metrics.gauge(
        "ledger.admitted.bytes", "of submissions not answered yet", admission, Admission::bytes);
    metrics.gauge(
        "ledger.time.ahead.ms",
        "how far the ledger's time is ahead of the machine's clock",
        shard,
        each -> each.time().aheadMs());
    metrics.gauge(
        "ledger.index.backlog.frames",
        "commit frames that are durable and not sealed yet",
        shard,
        Shard::unsealedFrames);
    metrics.gauge(
        "ledger.index.backlog.bytes", "of those frames", shard, each -> each.backlog().bytes());
    metrics.gauge(
        "ledger.removals.blocked",
        "removals whose bytes are damaged, so that they cannot be erased",
        shard,
        each -> each.removals().blocked());
    metrics.gauge(
        "ledger.strands.awake",
        "strands whose newest rows are in memory",
        shard,
        each -> each.indexer().awakeStrands());
    metrics.gauge(
        "ledger.checkpoint.age.seconds",
        "how long the oldest durable frame has waited for its signed head; 0 if none waits",
        shard,
        each -> each.backlog().oldestSeconds());
  }

  /// The free bytes that decide whether appends are refused as `storage_full`; `NaN` if the disk
  /// does not say.
  private static double freeBytes(Disk disk) {
    try {
      return disk.freeBytes();
    } catch (IOException e) {
      return Double.NaN;
    }
  }
}
