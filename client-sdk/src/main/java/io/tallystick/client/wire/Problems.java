package io.tallystick.client.wire;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.tallystick.api.ProblemTrailer;
import io.tallystick.api.v1.Problem;
import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import io.tallystick.model.Bytes;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/// The meaning of a failed call: a refusal with the service's problem, or a service out of reach.
public final class Problems {
  private Problems() {}

  private static final int CAUSES_MAX = 16;
  private static final long RETRY_AFTER_MILLIS_MAX = 86_400_000;

  /// Whether the same call may succeed later: the problem's own word, else the status.
  static boolean retryable(StatusRuntimeException failure) {
    Problem problem = ProblemTrailer.of(failure);
    return problem == null
        ? retryable(failure.getStatus()) && !isTlsRefusal(failure.getStatus().getCause())
        : problem.getRetryable();
  }

  /// Whether the TLS handshake failed, which a second try does not change.
  private static boolean isTlsRefusal(@Nullable Throwable cause) {
    Throwable at = cause;
    for (int i = 0; i < CAUSES_MAX && at != null; i++) {
      if (at instanceof SSLHandshakeException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  /// Whether a call failed before anything of it went out: no connection was made.
  static boolean neverSent(StatusRuntimeException failure) {
    Throwable at = failure.getStatus().getCause();
    for (int i = 0; i < CAUSES_MAX && at != null; i++) {
      if (at instanceof SSLHandshakeException
          || at instanceof ConnectException
          || at instanceof UnknownHostException
          || at instanceof NoRouteToHostException
          || at instanceof UnsupportedAddressTypeException) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  static boolean retryable(Status status) {
    return switch (status.getCode()) {
      case UNAVAILABLE, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED -> true;
      // Another address may be of a kind that this machine speaks.
      case UNKNOWN -> status.getCause() instanceof UnsupportedAddressTypeException;
      default -> false;
    };
  }

  static Duration retryAfter(StatusRuntimeException failure) {
    Problem problem = ProblemTrailer.of(failure);
    return problem == null ? Duration.ZERO : retryAfter(problem);
  }

  static Duration retryAfter(Problem problem) {
    return Duration.ofMillis(Math.clamp(problem.getRetryAfterMs(), 0, RETRY_AFTER_MILLIS_MAX));
  }

  /// The refusal that a problem of the service tells.
  public static RequestRefusedException refused(Problem problem) {
    return new RequestRefusedException(
        problem.getCode(),
        problem.getDetail(),
        problem.getRetryable(),
        problem.hasIndex() ? OptionalInt.of(problem.getIndex()) : OptionalInt.empty(),
        problem.hasLimit() ? OptionalLong.of(problem.getLimit()) : OptionalLong.empty(),
        problem.hasJsn() ? OptionalLong.of(problem.getJsn()) : OptionalLong.empty(),
        retryAfter(problem),
        problem.getHttpStatus(),
        problem.hasOperation() ? OptionalInt.of(problem.getOperation()) : OptionalInt.empty(),
        problem.hasKey()
            ? Optional.of(Bytes.wrap(problem.getKey().toByteArray()))
            : Optional.empty());
  }

  /// @param outcomeUnknown whether the call may have had its effect
  public static TallyException toException(
      String call, StatusRuntimeException failure, boolean outcomeUnknown) {
    Problem problem = ProblemTrailer.of(failure);
    if (problem != null) {
      RequestRefusedException refused = refused(problem);
      refused.initCause(failure);
      return refused;
    }
    return new ServiceUnavailableException(
        call + " failed: " + words(failure.getStatus()), outcomeUnknown, failure);
  }

  /// One line: a status' own text has the whole stack of its cause.
  private static String words(Status status) {
    StringBuilder words = new StringBuilder(status.getCode().name());
    append(status.getDescription(), words);
    Throwable cause = status.getCause();
    if (cause != null) {
      append(
          cause instanceof UnsupportedAddressTypeException
              ? "this machine speaks to no such address"
              : cause.getMessage(),
          words);
      Throwable first = first(cause);
      if (!first.equals(cause)) {
        append(
            first instanceof CertificateExpiredException
                ? "the certificate has expired, " + first.getMessage()
                : first.getMessage(),
            words);
      }
    }
    return words.toString();
  }

  /// The first line of a text.
  private static void append(@Nullable String text, StringBuilder words) {
    if (text != null && !text.isBlank()) {
      words.append(": ").append(text.strip().lines().findFirst().orElse(""));
    }
  }

  /// The first cause of a failure: of a TLS handshake, what is wrong with the certificate.
  private static Throwable first(Throwable cause) {
    Throwable at = cause;
    for (int i = 0; i < CAUSES_MAX; i++) {
      Throwable before = at.getCause();
      if (before == null) {
        return at;
      }
      at = before;
    }
    return at;
  }
}
