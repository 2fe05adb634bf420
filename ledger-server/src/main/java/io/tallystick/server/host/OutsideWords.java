package io.tallystick.server.host;

import io.tallystick.model.Bytes;
import io.tallystick.model.StrandId;
import io.tallystick.node.OutsideRead;
import io.tallystick.node.TimeRefusal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// What is told through a shard and not kept: {@link OutsideRead}. Thread-safe.
final class OutsideWords {
  /// Strands of each kind; beyond it the eldest is forgotten.
  static final int STRANDS_MAX = 4_096;

  /// For so long a time is wanted, and the reason for none is known.
  static final long WISH_MS = 30_000;

  private final LongSupplier clockMs;
  private final Map<StrandId, Wish> wishes = new LinkedHashMap<>();
  private final Map<StrandId, Bytes> cosigned = new LinkedHashMap<>();

  /// @param why empty while it may be granted
  private record Wish(long sinceMs, Optional<TimeRefusal> why) {}

  OutsideWords(LongSupplier clockMs) {
    this.clockMs = clockMs;
  }

  /// One who asks again waits as before; what an earlier wish was refused for counts no more.
  synchronized void want(StrandId strand) {
    dropOld();
    Wish before = wishes.get(strand);
    if (before == null || before.why.isPresent()) {
      put(wishes, strand, new Wish(clockMs.getAsLong(), Optional.empty()));
    }
  }

  synchronized void refuse(StrandId strand, TimeRefusal why) {
    put(wishes, strand, new Wish(clockMs.getAsLong(), Optional.of(why)));
  }

  private static <V> void put(Map<StrandId, V> all, StrandId strand, V value) {
    all.remove(strand); // else it keeps its place
    all.put(strand, value);
    if (all.size() > STRANDS_MAX) {
      all.remove(all.keySet().iterator().next());
    }
  }

  synchronized List<StrandId> wanted() {
    dropOld();
    return wishes.entrySet().stream()
        .filter(each -> each.getValue().why.isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  synchronized Optional<TimeRefusal> whyNoTime(StrandId strand) {
    dropOld();
    Wish wish = wishes.get(strand);
    return wish == null ? Optional.empty() : wish.why;
  }

  private void dropOld() {
    long oldest = clockMs.getAsLong() - WISH_MS;
    wishes.values().removeIf(wish -> wish.sinceMs < oldest);
  }

  /// A time came: nobody waits any more.
  synchronized void granted(StrandId strand) {
    wishes.remove(strand);
  }

  synchronized void show(StrandId strand, Bytes note) {
    put(cosigned, strand, note);
  }

  synchronized Optional<Bytes> cosigned(StrandId strand) {
    return Optional.ofNullable(cosigned.get(strand));
  }
}
