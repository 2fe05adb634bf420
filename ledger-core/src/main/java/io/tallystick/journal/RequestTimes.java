package io.tallystick.journal;

import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;

/// The rules of a request's times against the service's clock; the sequencer decides by them at
/// commit.
public final class RequestTimes {
  private RequestTimes() {}

  /// @throws RequestRejectedException with `WINDOW_TOO_LONG`, `TOO_EARLY` or `EXPIRED`
  public static void check(RequestHeader header, long nowMs, long maxWindowMs)
      throws RequestRejectedException {
    check(header, nowMs, nowMs, maxWindowMs);
  }

  /// @param nowMs the service's time, which never decreases
  /// @param clockMs what its clock says, which may have been set back; only for the words
  /// @param maxWindowMs of the ledger; governance kinds have 30 days instead
  /// @throws RequestRejectedException with `WINDOW_TOO_LONG`, `TOO_EARLY` or `EXPIRED`
  public static void check(RequestHeader header, long nowMs, long clockMs, long maxWindowMs)
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
                  + Printable.time(header.clientTimeMs())
                  + " is "
                  + (header.clientTimeMs() - nowMs)
                  + " ms ahead of the service, at most "
                  + Limits.CLOCK_SKEW_MS_MAX)
          .withLimit(Limits.CLOCK_SKEW_MS_MAX);
    }
    if (nowMs > header.expiresMs()) {
      throw new RequestRejectedException(
              RejectionCode.EXPIRED,
              "expired at "
                  + Printable.time(header.expiresMs())
                  + ", now "
                  + Printable.time(nowMs)
                  + ahead(header, nowMs, clockMs))
          .withLimit(header.expiresMs());
    }
  }

  /// Tells a client with a right clock that the service's clock is wrong.
  private static String ahead(RequestHeader header, long nowMs, long clockMs) {
    return clockMs > header.expiresMs()
        ? ""
        : ", which is "
            + (nowMs - clockMs)
            + " ms ahead of the service's clock: journals were committed before it was set back";
  }
}
