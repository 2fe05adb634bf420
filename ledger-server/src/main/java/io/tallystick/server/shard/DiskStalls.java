package io.tallystick.server.shard;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.DiskOperation;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells a disk that stands still: one operation does not come back. The log has a line when that
/// begins and one when it ends. One owner thread looks; anybody may ask.
public final class DiskStalls {
  private static final Logger LOG = LoggerFactory.getLogger(DiskStalls.class);

  private final Disk disk;
  private final long limitMillis;
  private final int shard;
  private @Nullable DiskOperation seen;
  private volatile @Nullable DiskOperation stalled;

  DiskStalls(Disk disk, long limitMillis, int shard) {
    this.disk = disk;
    this.limitMillis = limitMillis;
    this.shard = shard;
  }

  /// The operation that the disk does not come back from; null while it works.
  public @Nullable DiskOperation now() {
    return stalled;
  }

  /// Why the shard is not ready, in plain words; empty while it is.
  public String detail() {
    DiskOperation known = stalled;
    return known == null ? "" : detail(known);
  }

  private static String detail(DiskOperation of) {
    return String.format(
        Locale.ROOT,
        "the disk stands still: %s of %s has gone on for %d ms",
        of.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
        of.file(),
        of.millis());
  }

  /// 0 while the disk works.
  double seconds() {
    DiskOperation known = stalled;
    return known == null ? 0 : known.millis() / 1000.0;
  }

  /// Looks at the disk. What counts was there at the look before, too: a process that was itself
  /// stopped for a while finds operations that come back as soon as it runs.
  void look() {
    DiskOperation oldest = disk.oldestOperation().orElse(null);
    if (oldest != null && oldest.millis() >= limitMillis) {
      if (oldest.equals(seen)) {
        standsStill(oldest);
      }
    } else {
      goesOn();
    }
    seen = oldest;
  }

  private void standsStill(DiskOperation oldest) {
    boolean known = stalled != null;
    stalled = oldest;
    if (!known) {
      LOG.error(
          "shard {} is not ready: {}, since {}",
          shard,
          detail(oldest),
          Instant.now().minusMillis(oldest.millis()));
    }
  }

  private void goesOn() {
    DiskOperation known = stalled;
    if (known != null) {
      stalled = null;
      LOG.warn("shard {}: the disk goes on after {} ms", shard, known.millis());
    }
  }
}
