package io.tallystick.proxy.edge;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.Problem;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.rest.HttpStatuses;
import java.util.Objects;

/// The one place where a refusal becomes what the wire shows. `docs/errors.md` has the same table.
final class GrpcProblems {
  /// The code of a fault of ours; no {@link RejectionCode}, since nothing was wrong with the
  /// request.
  static final String INTERNAL = "internal";

  private static final long RETRY_AFTER_MS = 100;
  private static final long RETRY_AFTER_STORAGE_FULL_MS = 10_000;
  private static final int HTTP_INTERNAL = 500;

  private GrpcProblems() {}

  static Status.Code grpcStatus(RejectionCode code) {
    return switch (code) {
      case MALFORMED,
          UNSUPPORTED_VERSION,
          WRONG_TYPE,
          WRONG_LEDGER,
          WRONG_AUTHORITY,
          COMMITMENT_MISMATCH,
          SALT_INVALID,
          BATCH_INVALID,
          WINDOW_TOO_LONG,
          KEY_NOT_ALLOWED,
          CERTIFICATE_INVALID,
          PARAMETERS_INVALID,
          CLUE_INVALID,
          FEATURE_CONFLICT,
          OPERATION_INVALID,
          TARGET_INVALID ->
          Status.Code.INVALID_ARGUMENT;
      case BAD_SIGNATURE, TOKEN_REQUIRED, TOKEN_INVALID -> Status.Code.UNAUTHENTICATED;
      case UNKNOWN_KEY,
          REVOKED_KEY,
          ROLE_NOT_ALLOWED,
          FOUNDING_NOT_ALLOWED,
          SUBMITTER_NOT_ALLOWED,
          SIGNATURES_MISSING,
          REGULATOR_TOO_NEW ->
          Status.Code.PERMISSION_DENIED;
      case UNKNOWN_LEDGER, UNKNOWN_PROPOSAL, UNKNOWN_CERTIFICATE -> Status.Code.NOT_FOUND;
      case OUT_OF_RANGE, FUTURE_SIZE, TIME_OUT_OF_RANGE -> Status.Code.OUT_OF_RANGE;
      case REPLAYED, MEMBER_EXISTS -> Status.Code.ALREADY_EXISTS;
      case LAST_OWNER,
          LEDGER_CLOSED,
          ALREADY_OCCULTED,
          PURGE_TOO_LOW,
          PURGE_UNANCHORED,
          PURGE_OPEN,
          SNAPSHOT_UNKNOWN,
          RECALL_TOO_LATE,
          ERASURE_BEGUN,
          PURGED,
          FEATURE_FORBIDS,
          READ_ONLY,
          HEAD_REFUSED,
          TIME_NOT_CONFIGURED,
          PRECONDITION_FAILED,
          EXPIRED,
          PRUNED,
          TOO_EARLY,
          CLUE_DELETED ->
          Status.Code.FAILED_PRECONDITION;
      case KIND_NOT_ENABLED, FEATURE_NOT_ENABLED -> Status.Code.UNIMPLEMENTED;
      case TOO_LARGE, TOO_MANY_PROPOSALS, RATE_LIMITED, STORAGE_FULL ->
          Status.Code.RESOURCE_EXHAUSTED;
      case ERASED, DAMAGED -> Status.Code.DATA_LOSS;
      case UNAVAILABLE, TIME_NOT_STAMPED -> Status.Code.UNAVAILABLE;
    };
  }

  static Problem toProto(RequestRejectedException refusal) {
    RejectionCode code = refusal.code();
    Problem.Builder problem =
        Problem.newBuilder()
            .setCode(code.wire())
            .setDetail(detail(refusal))
            .setRetryable(code.retryable())
            .setHttpStatus(HttpStatuses.of(code));
    refusal.index().ifPresent(problem::setIndex);
    refusal.limit().ifPresent(problem::setLimit);
    refusal.jsn().ifPresent(problem::setJsn);
    refusal.operation().ifPresent(problem::setOperation);
    refusal.key().ifPresent(key -> problem.setKey(ToProto.bytes(key)));
    if (code.retryable()) {
      problem.setRetryAfterMs(
          refusal
              .retryAfterMs()
              .orElse(
                  code == RejectionCode.STORAGE_FULL
                      ? RETRY_AFTER_STORAGE_FULL_MS
                      : RETRY_AFTER_MS));
    }
    return problem.build();
  }

  static StatusRuntimeException toStatus(RequestRejectedException refusal) {
    return withTrailer(grpcStatus(refusal.code()), toProto(refusal));
  }

  /// The problem by which a client learns of a fault of ours: that it was ours, and nothing else.
  /// Not retryable by rule: the same request may meet the same fault.
  static Problem internal() {
    return Problem.newBuilder()
        .setCode(INTERNAL)
        .setDetail("the service failed; its log says why")
        .setHttpStatus(HTTP_INTERNAL)
        .build();
  }

  static StatusRuntimeException internalStatus() {
    return withTrailer(Status.Code.INTERNAL, internal());
  }

  private static StatusRuntimeException withTrailer(Status.Code code, Problem problem) {
    Metadata trailers = new Metadata();
    trailers.put(ProblemTrailer.KEY, problem);
    return code.toStatus()
        .withDescription(problem.getCode() + ": " + problem.getDetail())
        .asRuntimeException(trailers);
  }

  private static String detail(RequestRejectedException refusal) {
    return Objects.requireNonNullElse(refusal.getMessage(), "");
  }
}
