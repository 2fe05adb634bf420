package io.tallystick.journal;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;

/// The rules of a request's times against the service's clock; the sequencer decides by them at
/// commit.
public final class RequestTimes {
  private RequestTimes() {}

  /// @param maxWindowMs of the ledger; governance kinds have 30 days instead
  /// @throws RequestRejectedException with `WINDOW_TOO_LONG`, `TOO_EARLY` or `EXPIRED`
  public static void check(RequestHeader header, long nowMs, long maxWindowMs)
      throws RequestRejectedException {
    long windowMs = header.expiresMs() - header.clientTimeMs();
    long limitMs = header.kind().governance() ? Limits.GOVERNANCE_WINDOW_MS_MAX : maxWindowMs;
    if (windowMs > limitMs) {
      throw new RequestRejectedException(
              RejectionCode.WINDOW_TOO_LONG,
              "expiry is " + windowMs + " ms after clientTime, at most " + limitMs)
          .withLimit(limitMs);
    }
    if (header.clientTimeMs() - Limits.CLOCK_SKEW_MS_MAX > nowMs) {
      throw new RequestRejectedException(
              RejectionCode.TOO_EARLY,
              "clientTime "
                  + header.clientTimeMs()
                  + " is "
                  + (header.clientTimeMs() - nowMs)
                  + " ms ahead of the service, at most "
                  + Limits.CLOCK_SKEW_MS_MAX)
          .withLimit(Limits.CLOCK_SKEW_MS_MAX);
    }
    if (nowMs > header.expiresMs()) {
      throw new RequestRejectedException(
              RejectionCode.EXPIRED, "expired at " + header.expiresMs() + ", now " + nowMs)
          .withLimit(header.expiresMs());
    }
  }
}
