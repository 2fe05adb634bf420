package io.tallystick.server.seal;

import io.tallystick.model.StrandId;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Heads under which pages of a lineage were proven, with the indexes of that time, so that later
/// pages can be proven under them, too. The most recently used ones stay, while there is memory: an
/// older trie costs the nodes that changed since. Thread-safe.
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
