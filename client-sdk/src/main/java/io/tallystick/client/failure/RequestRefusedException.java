package io.tallystick.client.failure;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// The service refused a request and said why; the refused request left no trace in the ledger.
/// Retryable refusals reach the caller only after the retry policy gave up.
public final class RequestRefusedException extends TallyException {
  private static final long serialVersionUID = 1;
  private static final long ABSENT = -1;

  private final String code;
  private final String detail;
  private final boolean retryable;
  private final long index;
  private final long limit;
  private final long jsn;
  private final Duration retryAfter;
  private final int httpStatus;

  /// As the service's problem says. Its words are the service's: nothing in it is evidence.
  public RequestRefusedException(
      String code,
      String detail,
      boolean retryable,
      OptionalInt index,
      OptionalLong limit,
      OptionalLong jsn,
      Duration retryAfter,
      int httpStatus) {
    super(code + ": " + detail);
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    this.index = index.isPresent() ? Integer.toUnsignedLong(index.getAsInt()) : ABSENT;
    this.limit = limit.orElse(ABSENT);
    this.jsn = jsn.orElse(ABSENT);
    this.retryAfter = retryAfter;
    this.httpStatus = httpStatus;
  }

  /// The stable name of the refusal, such as `unknown_key`; `docs/errors.md` lists them.
  public String code() {
    return code;
  }

  public String detail() {
    return detail;
  }

  /// Whether the same bytes may be accepted later.
  public boolean retryable() {
    return retryable;
  }

  /// Which request of a batch it was, from 0.
  public OptionalInt index() {
    return index == ABSENT ? OptionalInt.empty() : OptionalInt.of((int) index);
  }

  /// The limit that was hit.
  public OptionalLong limit() {
    return limit == ABSENT ? OptionalLong.empty() : OptionalLong.of(limit);
  }

  /// The journal concerned.
  public OptionalLong jsn() {
    return jsn == ABSENT ? OptionalLong.empty() : OptionalLong.of(jsn);
  }

  /// How long the service asks to wait; zero if it does not say.
  public Duration retryAfter() {
    return retryAfter;
  }

  public int httpStatus() {
    return httpStatus;
  }
}
