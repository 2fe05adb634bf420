package io.tallystick.master;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.tallystick.crypto.PublicKey;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import java.util.Optional;

/// The keys of members seen lately, at most a fixed number of them. A kid is the hash of its key
/// and a key once a member's stays one that is or was, so an entry never goes stale; that a kid is
/// *not* a member's can change with the next journal and is never kept. Thread-safe.
final class MemberKeyCache {
  /// About 6 MiB when full: enough for every active member of a few thousand ledgers.
  static final int ENTRIES_MAX = 16_384;

  private record Member(LedgerId ledger, Digest kid) {}

  private final Cache<Member, PublicKey> keys;

  MemberKeyCache(int entriesMax) {
    // The thread that keeps a key evicts, so the bound holds when `keep` returns.
    keys = Caffeine.newBuilder().maximumSize(entriesMax).executor(Runnable::run).build();
  }

  Optional<PublicKey> find(LedgerId ledger, Digest kid) {
    return Optional.ofNullable(keys.getIfPresent(new Member(ledger, kid)));
  }

  void keep(LedgerId ledger, PublicKey key) {
    keys.put(new Member(ledger, key.kid()), key);
  }
}
