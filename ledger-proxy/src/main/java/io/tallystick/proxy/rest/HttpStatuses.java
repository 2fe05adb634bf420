package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;

/// The HTTP status of each refusal, RFC 9110 section 15; 451 is RFC 7725. gRPC problems carry it
/// too, so that a gateway need not know the codes. The table for people is `docs/errors.md`.
public final class HttpStatuses {
  private HttpStatuses() {}

  public static int of(RejectionCode code) {
    return switch (code) {
      case MALFORMED, UNSUPPORTED_VERSION, WRONG_TYPE -> 400;
      case BAD_SIGNATURE, TOKEN_REQUIRED, TOKEN_INVALID -> 401;
      case UNKNOWN_KEY,
          REVOKED_KEY,
          ROLE_NOT_ALLOWED,
          FOUNDING_NOT_ALLOWED,
          SUBMITTER_NOT_ALLOWED,
          SIGNATURES_MISSING,
          REGULATOR_TOO_NEW ->
          403;
      case UNKNOWN_LEDGER, UNKNOWN_PROPOSAL, UNKNOWN_CERTIFICATE, OUT_OF_RANGE, FUTURE_SIZE -> 404;
      case REPLAYED,
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
          TOO_MANY_PROPOSALS,
          HEAD_REFUSED,
          TIME_NOT_CONFIGURED ->
          409;
      case EXPIRED, PRUNED, PURGED, CLUE_DELETED -> 410;
      case TOO_EARLY,
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
          OPERATION_INVALID,
          KEY_NOT_ALLOWED,
          CERTIFICATE_INVALID ->
          422;
      case TOO_LARGE -> 413;
      case ERASED -> 451;
      case RATE_LIMITED -> 429;
      case DAMAGED -> 500;
      case UNAVAILABLE, TIME_NOT_STAMPED -> 503;
      case STORAGE_FULL -> 507;
    };
  }
}
