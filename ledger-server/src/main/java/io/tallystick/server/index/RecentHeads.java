package io.tallystick.server.index;

import io.tallystick.model.StrandId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Heads that pages of a lineage were proven under, so that the pages behind them can be too: the
/// trie as it was then. Thread-safe; the ones asked for last stay.
final class RecentHeads {
  private static final int HEADS_MAX = 256;

  private final Map<Key, SealedHead> heads = new LinkedHashMap<>(16, 0.75f, true);

  private record Key(StrandId strand, long size) {}

  synchronized void add(StrandId strand, SealedHead head) {
    heads.put(new Key(strand, head.size()), head);
    if (heads.size() > HEADS_MAX) {
      heads.remove(heads.keySet().iterator().next());
    }
  }

  synchronized @Nullable SealedHead find(StrandId strand, long size) {
    return heads.get(new Key(strand, size));
  }
}
