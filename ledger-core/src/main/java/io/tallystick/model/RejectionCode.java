package io.tallystick.model;

import java.util.Locale;

/// Why a request was refused. The wire form is the lower-case name and is stable. The proxy maps a
/// code to the statuses of gRPC and HTTP.
public enum RejectionCode {
  MALFORMED,
  UNSUPPORTED_VERSION,
  WRONG_TYPE,
  BAD_SIGNATURE,
  TOKEN_REQUIRED,
  TOKEN_INVALID,
  UNKNOWN_KEY,
  REVOKED_KEY,
  ROLE_NOT_ALLOWED,
  FOUNDING_NOT_ALLOWED,
  SUBMITTER_NOT_ALLOWED,
  SIGNATURES_MISSING,
  REGULATOR_TOO_NEW,
  UNKNOWN_LEDGER,
  UNKNOWN_PROPOSAL,
  UNKNOWN_CERTIFICATE,
  OUT_OF_RANGE,
  FUTURE_SIZE,
  REPLAYED,
  MEMBER_EXISTS,
  LAST_OWNER,
  LEDGER_CLOSED,
  ALREADY_OCCULTED,
  PURGE_TOO_LOW,
  PURGE_UNANCHORED,
  PURGE_OPEN,
  SNAPSHOT_UNKNOWN,
  RECALL_TOO_LATE,
  ERASURE_BEGUN,
  READ_ONLY,
  PRECONDITION_FAILED,
  HEAD_REFUSED,
  TIME_NOT_CONFIGURED,
  TOO_MANY_PROPOSALS,
  EXPIRED,
  PRUNED,
  PURGED,
  TOO_EARLY,
  TIME_OUT_OF_RANGE,
  WINDOW_TOO_LONG,
  WRONG_LEDGER,
  WRONG_AUTHORITY,
  COMMITMENT_MISMATCH,
  SALT_INVALID,
  BATCH_INVALID,
  KIND_NOT_ENABLED,
  FEATURE_NOT_ENABLED,
  FEATURE_FORBIDS,
  FEATURE_CONFLICT,
  TARGET_INVALID,
  PARAMETERS_INVALID,
  CLUE_INVALID,
  CLUE_DELETED,
  OPERATION_INVALID,
  KEY_NOT_ALLOWED,
  CERTIFICATE_INVALID,
  TOO_LARGE,
  ERASED,
  RATE_LIMITED(true),
  DAMAGED,
  UNAVAILABLE(true),
  TIME_NOT_STAMPED(true),
  STORAGE_FULL(true);

  private final boolean retryable;

  RejectionCode() {
    this(false);
  }

  RejectionCode(boolean retryable) {
    this.retryable = retryable;
  }

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Whether the same bytes may be accepted when they are sent again.
  public boolean retryable() {
    return retryable;
  }
}
