package io.tallystick.wire;

import io.tallystick.model.LedgerId;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.node.LedgerRead;
import io.tallystick.node.Member;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// What a stub knows of members and of public ledgers. A member is known for a second from when it
/// was asked for, so a revoked key reads no longer than that, and no longer than until this stub
/// has heard of a change of the members; that a ledger is public is known for good. Who is no
/// member is asked for each time, and refusals are not kept. Thread-safe.
final class SeenMembers {
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ENTRIES_MAX = 50_000;

  private final LongSupplier nanos;
  private final Map<LedgerRead.FindMember, Seen> members = lru();
  private final Map<LedgerId, Boolean> publics = lru();
  private long changes;

  /// @param nanos the machine's monotonic clock
  SeenMembers(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /// Asks the server.
  interface Asking<T> {
    T ask() throws RequestRejectedException;
  }

  /// @param askedNanos when the question was sent
  private record Seen(Member member, long askedNanos) {}

  private static <K, V> Map<K, V> lru() {
    return new LinkedHashMap<>(16, 0.75f, true) {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > ENTRIES_MAX;
      }
    };
  }

  Optional<Member> member(LedgerRead.FindMember key, Asking<Optional<Member>> asking)
      throws RequestRejectedException {
    long askedNanos = nanos.getAsLong();
    long changesThen;
    synchronized (this) {
      Seen known = members.get(key);
      if (known != null && askedNanos - known.askedNanos < KEPT_NANOS) {
        return Optional.of(known.member);
      }
      changesThen = changes;
    }
    Optional<Member> found = asking.ask();
    synchronized (this) {
      if (found.isPresent() && changesThen == changes) {
        members.put(key, new Seen(found.get(), askedNanos));
      } else {
        members.remove(key);
      }
    }
    return found;
  }

  /// A journal that may have changed the members of some ledger is there.
  synchronized void changed() {
    changes++;
    members.clear();
  }

  boolean isPublic(LedgerRead.IsPublic key, Asking<Boolean> asking)
      throws RequestRejectedException {
    synchronized (this) {
      if (publics.containsKey(key.id())) {
        return true;
      }
    }
    boolean is = asking.ask();
    if (is) {
      synchronized (this) {
        publics.put(key.id(), true);
      }
    }
    return is;
  }
}
