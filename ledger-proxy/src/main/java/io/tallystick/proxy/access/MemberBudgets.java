package io.tallystick.proxy.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.tallystick.model.Digest;
import io.tallystick.model.LedgerId;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/// How much one member of one ledger may do in a second; members of one ledger do not share, nor
/// does one key in two ledgers. Generic cell rate: what is taken is paid back at the rate, and
/// whoever owes more than a second's worth is refused until the debt is smaller. So one batch may
/// be larger than the rate, and the next waits for it. Thread-safe.
public final class MemberBudgets {
  private static final long DEBT_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

  /// Beyond it the longest unused are forgotten, debts and all.
  private static final int MEMBERS_MAX = 100_000;

  /// No debt of the largest batch at a rate of 1 lasts longer.
  private static final Duration FORGOTTEN_AFTER = Duration.ofHours(3);

  private record Member(LedgerId ledger, Digest kid) {}

  private final String what;
  private final long perSecond;
  private final LongSupplier nanoTime;
  private final Cache<Member, AtomicLong> paidAt =
      Caffeine.newBuilder().maximumSize(MEMBERS_MAX).expireAfterAccess(FORGOTTEN_AFTER).build();

  /// @param what is counted, for messages: `journals`
  /// @param perSecond 0: without limit
  public MemberBudgets(String what, long perSecond) {
    this(what, perSecond, System::nanoTime);
  }

  MemberBudgets(String what, long perSecond, LongSupplier nanoTime) {
    if (perSecond < 0) {
      throw new IllegalArgumentException(perSecond + " " + what + " per second");
    }
    this.what = what;
    this.perSecond = perSecond;
    this.nanoTime = nanoTime;
  }

  public static MemberBudgets unlimited() {
    return new MemberBudgets("", 0);
  }

  /// @throws RequestRejectedException `RATE_LIMITED`; nothing was taken
  public void take(LedgerId ledger, Digest kid, int count) throws RequestRejectedException {
    if (perSecond == 0) {
      return;
    }
    long now = nanoTime.getAsLong();
    AtomicLong member = paidAt.get(new Member(ledger, kid), _ -> new AtomicLong(now));
    long cost = count * TimeUnit.SECONDS.toNanos(1) / perSecond;
    long before =
        member.getAndUpdate(
            paid -> paid - now > DEBT_NANOS_MAX ? paid : (paid - now > 0 ? paid : now) + cost);
    if (before - now > DEBT_NANOS_MAX) {
      throw new RequestRejectedException(
              RejectionCode.RATE_LIMITED,
              String.format(
                  Locale.ROOT,
                  "member %s has had its %d %s per second for the next %d ms",
                  kid,
                  perSecond,
                  what,
                  TimeUnit.NANOSECONDS.toMillis(before - now)))
          .withLimit(perSecond);
    }
  }
}
