package io.tallystick.server.shard;

import io.tallystick.model.StrandId;
import io.tallystick.server.seal.IndexRebuild;
import io.tallystick.storage.stream.CorruptStreamException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Logs rebuilds of an index while the service runs: appends of the shard wait for it. One
/// thread's.
final class RebuildLog implements IndexRebuild.Watch {
  private static final Logger LOG = LoggerFactory.getLogger(RebuildLog.class);
  private static final long SAID_EVERY_NANOS = 10_000_000_000L;

  private final int shard;
  private final String index;
  private final Runnable count;
  private long startedAt;
  private long saidAt;

  /// @param index that it is about, in a word
  /// @param count counts rebuilds, those from an older version among them
  RebuildLog(int shard, String index, Runnable count) {
    this.shard = shard;
    this.index = index;
    this.count = count;
  }

  @Override
  public void begins(StrandId strand, long leaves, @Nullable CorruptStreamException why) {
    count.run();
    startedAt = System.nanoTime();
    saidAt = startedAt;
    LOG.error(
        "shard {}: the {} index of {} is damaged ({}): it is rebuilt from {} leaves, appends wait",
        shard,
        index,
        strand,
        why == null ? "asked for" : why.getMessage(),
        leaves);
  }

  @Override
  public void rollsBack(StrandId strand, long height, CorruptStreamException why) {
    LOG.error(
        "shard {}: the {} index of {} is damaged ({}): it goes back to the version that block {}"
            + " left and is filled again from there, appends wait",
        shard,
        index,
        strand,
        why.getMessage(),
        height);
  }

  @Override
  public void rolledBack(StrandId strand) {
    count.run();
    LOG.warn(
        "shard {}: the {} index of {} is whole again, every root as sealed; appends go on",
        shard,
        index,
        strand);
  }

  @Override
  public void isAt(StrandId strand, long leaves, long all) {
    long now = System.nanoTime();
    if (now - saidAt >= SAID_EVERY_NANOS) {
      saidAt = now;
      double perSecond = leaves / ((now - startedAt) / 1e9);
      LOG.warn(
          "shard {}: rebuilding the {} index of {}: {} of {} leaves, {} a second, {} s left",
          shard,
          index,
          strand,
          leaves,
          all,
          Math.round(perSecond),
          Math.round((all - leaves) / perSecond));
    }
  }

  @Override
  public void ended(StrandId strand, IndexRebuild.Rebuilt rebuilt) {
    LOG.warn(
        "shard {}: the {} index of {} is rebuilt: {} entries, every root as sealed; appends go on{}",
        shard,
        index,
        strand,
        rebuilt.entries(),
        rebuilt.lostNodes() == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "; slots of the old one stay taken until `tally rebuild --index %s` of all ledgers",
                index));
  }
}
