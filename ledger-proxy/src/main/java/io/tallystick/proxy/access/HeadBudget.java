package io.tallystick.proxy.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.tallystick.model.RequestRejectedException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// How many heads whoever has this name may enter: generic cell rate, so many at once and then at
/// the rate. Thread-safe.
final class HeadBudget {
  /// Beyond it the longest unused are forgotten: they begin with a full budget.
  private static final int NAMES_MAX = 100_000;

  private final Rate rate;
  private final Cache<Object, AtomicLong> paidAt =
      Caffeine.newBuilder().maximumSize(NAMES_MAX).build();

  /// @param burst at once
  record Rate(int heads, TimeUnit unit, int burst) {
    private long nanosEach() {
      return unit.toNanos(1) / heads;
    }
  }

  HeadBudget(Rate rate) {
    this.rate = rate;
  }

  /// @param told in the refusal
  /// @throws RequestRejectedException `RATE_LIMITED`; nothing was taken
  void take(Object name, String told) throws RequestRejectedException {
    long now = System.nanoTime();
    long each = rate.nanosEach();
    long debtMax = each * (rate.burst() - 1);
    AtomicLong paid = paidAt.get(name, _ -> new AtomicLong(now));
    long before =
        paid.getAndUpdate(at -> at - now > debtMax ? at : (at - now > 0 ? at : now) + each);
    if (before - now > debtMax) {
      throw ListedSubmitters.full(
          rate.heads(),
          told
              + ": no more heads for "
              + (TimeUnit.NANOSECONDS.toMillis(before - now - debtMax) + 1)
              + " ms");
    }
  }
}
