package io.tallystick.server.seal;

import io.tallystick.model.StrandId;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Heads that pages of a lineage were proven under, so that the pages behind them can be too: the
/// indexes as they were then. The ones asked for last stay, and only while there is memory for
/// them: a trie that was replaced since takes what its changed nodes take. Thread-safe.
public final class RecentHeads {
  private static final int HEADS_MAX = 64;

  private final Map<Key, SoftReference<SealedHead>> heads = new LinkedHashMap<>(16, 0.75f, true);

  private record Key(StrandId strand, long size) {}

  public synchronized void add(StrandId strand, SealedHead head) {
    heads.put(new Key(strand, head.size()), new SoftReference<>(head));
    if (heads.size() > HEADS_MAX) {
      heads.remove(heads.keySet().iterator().next());
    }
  }

  public synchronized @Nullable SealedHead find(StrandId strand, long size) {
    SoftReference<SealedHead> kept = heads.get(new Key(strand, size));
    return kept == null ? null : kept.get();
  }
}
