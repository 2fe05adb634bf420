package io.tallystick.master;

import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The keys of members seen lately, least recently used out first. A kid is the hash of its key and
/// a key once a member's stays one that is or was, so an entry never goes stale; that a kid is
/// *not* a member's can change with the next journal and is never kept. Thread-safe.
final class MemberKeyCache {
  /// About 6 MiB when full: enough for every active member of a few thousand ledgers.
  static final int ENTRIES_MAX = 16_384;

  private static final float LOAD_FACTOR = 0.75f;

  private record Member(LedgerId ledger, Digest kid) {}

  private final Map<Member, PublicKey> keys;

  MemberKeyCache(int entriesMax) {
    keys = new LeastRecentlyUsed<>(entriesMax);
  }

  synchronized Optional<PublicKey> find(LedgerId ledger, Digest kid) {
    return Optional.ofNullable(keys.get(new Member(ledger, kid)));
  }

  synchronized void keep(LedgerId ledger, PublicKey key) {
    keys.put(new Member(ledger, key.kid()), key);
  }

  private static final class LeastRecentlyUsed<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int entriesMax;

    LeastRecentlyUsed(int entriesMax) {
      super(16, LOAD_FACTOR, true);
      this.entriesMax = entriesMax;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > entriesMax;
    }
  }
}
