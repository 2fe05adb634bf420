package io.tallystick.client.failure;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long the client repeats a request that failed for a passing reason. A repeat is the same
/// bytes with the same signature, so the service answers it with the original journal.
///
/// @param backoffMin pause before the second attempt, before jitter; doubled each time
/// @param backoffMax the longest pause, a longer wish of the service excepted
/// @param timeMax from the first attempt on; no repeat begins later, and no repeated read is
///   awaited longer. 0 means no repeat. Below the request's window, or the last repeats are only
///   refused as expired
public record RetryPolicy(Duration backoffMin, Duration backoffMax, Duration timeMax) {
  /// 30 s: half the default window, so a repeat is never too late for it.
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofMillis(50), Duration.ofSeconds(5), Duration.ofSeconds(30));

  public static final RetryPolicy NONE =
      new RetryPolicy(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO);

  private static final int DOUBLINGS_MAX = 20;

  public RetryPolicy {
    if (!backoffMin.isPositive() || backoffMin.compareTo(backoffMax) > 0) {
      throw new IllegalArgumentException("backoff from " + backoffMin + " to " + backoffMax);
    }
    if (timeMax.isNegative()) {
      throw new IllegalArgumentException("timeMax " + timeMax + " is negative");
    }
  }

  /// The same for another time.
  public RetryPolicy withTimeMax(Duration time) {
    return new RetryPolicy(backoffMin, backoffMax, time);
  }

  /// The pause after attempt `attempt` (from 1): exponential, then between half and all of it by
  /// chance, so that clients who failed together do not return together. Never shorter than the
  /// service asked for.
  public Duration pause(int attempt, Duration retryAfter, RandomGenerator random) {
    int doublings = Math.min(Math.max(attempt - 1, 0), DOUBLINGS_MAX);
    long fullMs = Math.min(backoffMin.toMillis() << doublings, backoffMax.toMillis());
    long halfMs = Math.max(1, fullMs / 2);
    Duration jittered = Duration.ofMillis(halfMs + random.nextLong(halfMs + 1));
    return jittered.compareTo(retryAfter) >= 0 ? jittered : retryAfter;
  }
}
