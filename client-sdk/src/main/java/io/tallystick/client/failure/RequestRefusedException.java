package io.tallystick.client.failure;

import io.tallystick.model.Bytes;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

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
  private final long operation;
  private final transient @Nullable Bytes key;

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
    this(
        code,
        detail,
        retryable,
        index,
        limit,
        jsn,
        retryAfter,
        httpStatus,
        OptionalInt.empty(),
        Optional.empty());
  }

  /// The same, of one operation on a ledger's state.
  public RequestRefusedException(
      String code,
      String detail,
      boolean retryable,
      OptionalInt index,
      OptionalLong limit,
      OptionalLong jsn,
      Duration retryAfter,
      int httpStatus,
      OptionalInt operation,
      Optional<Bytes> key) {
    super(code + ": " + detail);
    this.code = code;
    this.detail = detail;
    this.retryable = retryable;
    this.index = index.isPresent() ? Integer.toUnsignedLong(index.getAsInt()) : ABSENT;
    this.limit = limit.orElse(ABSENT);
    this.jsn = jsn.orElse(ABSENT);
    this.retryAfter = retryAfter;
    this.httpStatus = httpStatus;
    this.operation = operation.isPresent() ? Integer.toUnsignedLong(operation.getAsInt()) : ABSENT;
    this.key = key.orElse(null);
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

  /// Which operation of the request it was, from 0.
  public OptionalInt operation() {
    return operation == ABSENT ? OptionalInt.empty() : OptionalInt.of((int) operation);
  }

  /// The key that the operation is on.
  public Optional<Bytes> key() {
    return Optional.ofNullable(key);
  }

  /// How long the service asks to wait; zero if it does not say.
  public Duration retryAfter() {
    return retryAfter;
  }

  public int httpStatus() {
    return httpStatus;
  }
}
