package io.tallystick.proxy.rest;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.tallystick.model.Printable;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A refusal as RFC 9457 has it. `code` is stable and the same as over gRPC; `type` is the same as
/// a URI. What does not apply is absent.
///
/// @param detail for people: what was found and what was wanted
/// @param limit that was hit
/// @param index of the request in its batch, from 0
/// @param jsn of the journal concerned
/// @param operation of that request, from 0
/// @param key that the operation is on, in base64
/// @param keyText the key, if it is UTF-8
/// @param traceId names the request in the service's log
/// @param receipt of the occult that erased a body, which is journal `jsn`
/// @param attestation of that occult
/// @param doneMs when all that it names was erased; absent before
/// @param retryAfterMs the time to wait, which goes into a header; null: as is usual for the code
@JsonInclude(JsonInclude.Include.NON_NULL)
record ProblemDocument(
    String type,
    String title,
    int status,
    String detail,
    String code,
    boolean retryable,
    @Nullable Long limit,
    @Nullable Integer index,
    @Nullable Long jsn,
    @Nullable Integer operation,
    @Nullable String key,
    @Nullable String keyText,
    String traceId,
    @Nullable String receipt,
    @Nullable String attestation,
    @Nullable Long doneMs,
    @JsonIgnore @Nullable Long retryAfterMs) {
  static final String MEDIA_TYPE = "application/problem+json";

  private static final String TYPE_PREFIX = "urn:tallystick:problem:";
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int INTERNAL = 500;

  static ProblemDocument of(RequestRejectedException refusal, String traceId) {
    RejectionCode code = refusal.code();
    return new ProblemDocument(
        TYPE_PREFIX + code.wire(),
        title(code.wire()),
        HttpStatuses.of(code),
        Printable.of(Objects.requireNonNullElse(refusal.getMessage(), "")),
        code.wire(),
        code.retryable(),
        refusal.limit().isPresent() ? refusal.limit().getAsLong() : null,
        refusal.index().isPresent() ? refusal.index().getAsInt() : null,
        refusal.jsn().isPresent() ? refusal.jsn().getAsLong() : null,
        refusal.operation().isPresent() ? refusal.operation().getAsInt() : null,
        refusal.key().map(Json::base64).orElse(null),
        refusal.key().map(StateJson::text).orElse(null),
        traceId,
        null,
        null,
        null,
        refusal.retryAfterMs().isPresent() ? refusal.retryAfterMs().getAsLong() : null);
  }

  /// The same with what shows that the body asked for was erased.
  ProblemDocument with(Json.Erasure erasure) {
    return new ProblemDocument(
        type,
        title,
        status,
        detail,
        code,
        retryable,
        limit,
        index,
        erasure.jsn(),
        operation,
        key,
        keyText,
        traceId,
        erasure.receipt(),
        erasure.attestation(),
        erasure.doneMs(),
        retryAfterMs);
  }

  /// The problem of a request that is wrong as HTTP: a route, a method, a content type.
  static ProblemDocument http(int status, String code, String detail, String traceId) {
    return new ProblemDocument(
        TYPE_PREFIX + code,
        title(code),
        status,
        Printable.of(detail),
        code,
        false,
        null,
        null,
        null,
        null,
        null,
        null,
        traceId,
        null,
        null,
        null,
        null);
  }

  static ProblemDocument noRoute(String traceId) {
    return http(NOT_FOUND, "not_found", "there is nothing at this path", traceId);
  }

  /// @param allowed the methods there are, as the header `Allow` names them
  static ProblemDocument wrongMethod(String method, String allowed, String traceId) {
    return http(
        METHOD_NOT_ALLOWED,
        "method_not_allowed",
        method + " is not allowed here, only " + allowed,
        traceId);
  }

  /// A fault of ours: that it was ours, and nothing else.
  static ProblemDocument internal(String traceId) {
    return http(INTERNAL, "internal", "the service failed; its log says why", traceId);
  }

  private static String title(String code) {
    return Character.toUpperCase(code.charAt(0)) + code.substring(1).replace('_', ' ');
  }
}
