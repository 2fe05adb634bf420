package io.tallystick.model;

import java.util.Locale;

/// Why a request was refused. The wire form is the lower-case name and is stable; the status is the
/// HTTP one (RFC 9457 problems), mapped to gRPC at the edge.
public enum RejectionCode {
  MALFORMED(400),
  UNSUPPORTED_VERSION(400),
  WRONG_TYPE(400),
  BAD_SIGNATURE(401),
  TOKEN_REQUIRED(401),
  TOKEN_INVALID(401),
  UNKNOWN_KEY(403),
  REVOKED_KEY(403),
  ROLE_NOT_ALLOWED(403),
  FOUNDING_NOT_ALLOWED(403),
  UNKNOWN_LEDGER(404),
  OUT_OF_RANGE(404),
  FUTURE_SIZE(404),
  REPLAYED(409),
  MEMBER_EXISTS(409),
  LAST_OWNER(409),
  PRECONDITION_FAILED(409),
  EXPIRED(410),
  TOO_EARLY(422),
  WINDOW_TOO_LONG(422),
  WRONG_LEDGER(422),
  WRONG_AUTHORITY(422),
  COMMITMENT_MISMATCH(422),
  SALT_INVALID(422),
  BATCH_INVALID(422),
  KIND_NOT_ENABLED(422),
  FEATURE_NOT_ENABLED(422),
  PARAMETERS_INVALID(422),
  CLUE_INVALID(422),
  CLUE_DELETED(410),
  KEY_NOT_ALLOWED(422),
  TOO_LARGE(413),
  ERASED(451),
  RATE_LIMITED(429, true),
  DAMAGED(500),
  UNAVAILABLE(503, true),
  STORAGE_FULL(507, true);

  private final int httpStatus;
  private final boolean retryable;

  RejectionCode(int httpStatus) {
    this(httpStatus, false);
  }

  RejectionCode(int httpStatus, boolean retryable) {
    this.httpStatus = httpStatus;
    this.retryable = retryable;
  }

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  public int httpStatus() {
    return httpStatus;
  }

  public boolean retryable() {
    return retryable;
  }
}
