package io.tallystick.server.read;

import io.tallystick.model.StrandId;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/// The plans of blocks that were read lately, over all strands of a shard, within a bound of
/// memory: 32 MiB hold two million journals in batches of a thousand. When it is full, the plan
/// that was added first goes, unless it was used since it was last looked at. Thread-safe.
final class BlockPlans {
  static final int BYTES_MAX = 32 << 20;

  private record Place(StrandId strand, long firstJsn) {}

  private static final class Kept {
    private final BlockPlan plan;
    private volatile boolean used;

    private Kept(BlockPlan plan) {
      this.plan = plan;
    }
  }

  private final Map<StrandId, ConcurrentSkipListMap<Long, Kept>> strands =
      new ConcurrentHashMap<>();
  private final ArrayDeque<Place> order = new ArrayDeque<>();
  private final long bytesMax;
  private long bytes;

  BlockPlans(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /// The plan of the block that holds a leaf, if it is kept.
  @Nullable BlockPlan find(StrandId strand, long jsn) {
    ConcurrentSkipListMap<Long, Kept> plans = strands.get(strand);
    Map.Entry<Long, Kept> below = plans == null ? null : plans.floorEntry(jsn);
    if (below == null || below.getValue().plan.row().sealJsn() < jsn) {
      return null;
    }
    Kept kept = below.getValue();
    if (!kept.used) {
      kept.used = true;
    }
    return kept.plan;
  }

  synchronized void add(StrandId strand, BlockPlan plan) {
    long firstJsn = plan.row().firstJsn();
    var plans = strands.computeIfAbsent(strand, _ -> new ConcurrentSkipListMap<>());
    if (plans.putIfAbsent(firstJsn, new Kept(plan)) != null) {
      return;
    }
    order.add(new Place(strand, firstJsn));
    bytes += plan.costBytes();
    // Each is spared once at most.
    for (int looks = 2 * order.size(); bytes > bytesMax && looks > 0; looks--) {
      lookAt(order.remove());
    }
  }

  private void lookAt(Place eldest) {
    ConcurrentSkipListMap<Long, Kept> plans = strands.get(eldest.strand);
    Kept kept = plans == null ? null : plans.get(eldest.firstJsn);
    if (plans == null || kept == null) {
      throw new AssertionError("a plan in order is not kept");
    }
    if (kept.used) {
      kept.used = false;
      order.add(eldest);
      return;
    }
    plans.remove(eldest.firstJsn);
    if (plans.isEmpty()) {
      strands.remove(eldest.strand);
    }
    bytes -= kept.plan.costBytes();
  }

  synchronized long bytes() {
    return bytes;
  }
}
