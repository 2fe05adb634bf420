package io.tallystick.model;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A request that was refused and left no trace in the ledger. Mapped once, at the edge, to the
/// wire's problem.
public final class RequestRejectedException extends Exception {
  private static final long serialVersionUID = 1;
  private static final long ABSENT = -1;

  private final RejectionCode code;
  private final long index;
  private final long limit;
  private final long jsn;
  private final long operation;
  private final transient @Nullable Bytes key;
  private final long retryAfterMs;

  private RequestRejectedException(
      RejectionCode code,
      String detail,
      long index,
      long limit,
      long jsn,
      long operation,
      @Nullable Bytes key,
      long retryAfterMs,
      Throwable cause) {
    // Refusals are frequent and carry their whole meaning in code and detail: no stack trace.
    super(detail, cause, false, false);
    this.code = code;
    this.index = index;
    this.limit = limit;
    this.jsn = jsn;
    this.operation = operation;
    this.key = key;
    this.retryAfterMs = retryAfterMs;
  }

  @SuppressWarnings("NullAway") // Throwable's constructor takes a null cause
  public RequestRejectedException(RejectionCode code, String detail) {
    this(code, detail, ABSENT, ABSENT, ABSENT, ABSENT, null, ABSENT, null);
  }

  public RequestRejectedException(RejectionCode code, String detail, Throwable cause) {
    this(code, detail, ABSENT, ABSENT, ABSENT, ABSENT, null, ABSENT, cause);
  }

  /// The same refusal, naming the limit that was hit.
  public RequestRejectedException withLimit(long limitHit) {
    return copy(index, limitHit, jsn, operation, key, retryAfterMs);
  }

  /// The same refusal, naming which request of a batch (0-based) it was.
  public RequestRejectedException atIndex(int requestIndex) {
    return copy(requestIndex, limit, jsn, operation, key, retryAfterMs);
  }

  /// The same refusal, naming the journal concerned.
  public RequestRejectedException atJsn(long journal) {
    return copy(index, limit, journal, operation, key, retryAfterMs);
  }

  /// The same refusal, naming which operation of its request (0-based) it was, and on which key.
  public RequestRejectedException atOperation(int operationIndex, Bytes operationKey) {
    return copy(index, limit, jsn, operationIndex, operationKey, retryAfterMs);
  }

  /// The same refusal of a retryable code, naming the time to wait before a retry.
  public RequestRejectedException retryAfterMs(long waitMs) {
    return copy(index, limit, jsn, operation, key, waitMs);
  }

  @SuppressWarnings("NullAway") // the copy keeps the cause, null included
  private RequestRejectedException copy(
      long newIndex,
      long newLimit,
      long newJsn,
      long newOperation,
      @Nullable Bytes newKey,
      long newRetryAfterMs) {
    return new RequestRejectedException(
        code,
        getMessage(),
        newIndex,
        newLimit,
        newJsn,
        newOperation,
        newKey,
        newRetryAfterMs,
        getCause());
  }

  public RejectionCode code() {
    return code;
  }

  public OptionalInt index() {
    return index == ABSENT ? OptionalInt.empty() : OptionalInt.of((int) index);
  }

  public OptionalLong limit() {
    return limit == ABSENT ? OptionalLong.empty() : OptionalLong.of(limit);
  }

  public OptionalLong jsn() {
    return jsn == ABSENT ? OptionalLong.empty() : OptionalLong.of(jsn);
  }

  public OptionalInt operation() {
    return operation == ABSENT ? OptionalInt.empty() : OptionalInt.of((int) operation);
  }

  public Optional<Bytes> key() {
    return Optional.ofNullable(key);
  }

  /// Empty: as is usual for the code.
  public OptionalLong retryAfterMs() {
    return retryAfterMs == ABSENT ? OptionalLong.empty() : OptionalLong.of(retryAfterMs);
  }
}
