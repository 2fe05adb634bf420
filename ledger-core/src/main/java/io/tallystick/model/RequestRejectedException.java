package io.tallystick.model;

import java.util.OptionalInt;
import java.util.OptionalLong;

/// A request that was refused and left no trace in the ledger. Mapped once, at the edge, to the
/// wire's problem.
public final class RequestRejectedException extends Exception {
  private static final long serialVersionUID = 1;
  private static final long ABSENT = -1;

  private final RejectionCode code;
  private final long index;
  private final long limit;
  private final long jsn;

  private RequestRejectedException(
      RejectionCode code, String detail, long index, long limit, long jsn, Throwable cause) {
    // Refusals are frequent and carry their whole meaning in code and detail: no stack trace.
    super(detail, cause, false, false);
    this.code = code;
    this.index = index;
    this.limit = limit;
    this.jsn = jsn;
  }

  @SuppressWarnings("NullAway") // Throwable's constructor takes a null cause
  public RequestRejectedException(RejectionCode code, String detail) {
    this(code, detail, ABSENT, ABSENT, ABSENT, null);
  }

  public RequestRejectedException(RejectionCode code, String detail, Throwable cause) {
    this(code, detail, ABSENT, ABSENT, ABSENT, cause);
  }

  /// The same refusal, naming the limit that was hit.
  public RequestRejectedException withLimit(long limitHit) {
    return copy(index, limitHit, jsn);
  }

  /// The same refusal, naming which request of a batch (0-based) it was.
  public RequestRejectedException atIndex(int requestIndex) {
    return copy(requestIndex, limit, jsn);
  }

  /// The same refusal, naming the journal concerned.
  public RequestRejectedException atJsn(long journal) {
    return copy(index, limit, journal);
  }

  @SuppressWarnings("NullAway") // the copy keeps the cause, null included
  private RequestRejectedException copy(long newIndex, long newLimit, long newJsn) {
    return new RequestRejectedException(code, getMessage(), newIndex, newLimit, newJsn, getCause());
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
}
