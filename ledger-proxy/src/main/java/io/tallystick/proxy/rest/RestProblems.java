package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.proxy.execute.ProxyMetrics;
import io.tallystick.proxy.trace.LineLimit;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Locale;
import org.apache.catalina.connector.ClientAbortException;
import org.apache.coyote.BadRequestException;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.util.StringUtils;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/// The one place where what went wrong becomes a problem document.
@RestControllerAdvice
final class RestProblems {
  private static final Logger LOG = LoggerFactory.getLogger(RestProblems.class);
  private static final LineLimit LINES = new LineLimit();
  private static final int NOT_ACCEPTABLE = 406;
  private static final int UNSUPPORTED_MEDIA_TYPE = 415;

  private final ProxyMetrics metrics;

  RestProblems(ProxyMetrics metrics) {
    this.metrics = metrics;
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> refusal(
      RequestRejectedException refusal, HttpServletRequest request) {
    return ProblemWriter.response(refused(refusal, request));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> removed(
      JournalRemovedException failure, HttpServletRequest request) {
    return ProblemWriter.response(
        refused(failure.refusal(), request).with(Json.Erasure.of(failure.erasure())));
  }

  private ProblemDocument refused(RequestRejectedException refusal, HttpServletRequest request) {
    metrics.refused(refusal.code());
    request.setAttribute(ProblemWriter.CODE_ATTRIBUTE, refusal.code().wire());
    // Of a damaged journal the node tells, once, and knows the place.
    if (refusal.code() == RejectionCode.DAMAGED && refusal.jsn().isEmpty()) {
      LINES.line(end ->
          LOG.error("Stored evidence is damaged, trace {}{}", TraceId.of(request), end, refusal));
    }
    return ProblemDocument.of(refusal, TraceId.of(request));
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> unreadable(
      HttpMessageNotReadableException failure, HttpServletRequest request) {
    if (failure.getCause() instanceof RequestGate.BodyRefusedException refused) {
      return refusal(refused.refusal(), request);
    }
    if (!brokeOff(failure.getCause())) {
      return refusal(
          new RequestRejectedException(
              RejectionCode.MALFORMED, "the body is missing or no HTTP body", failure),
          request);
    }
    ProblemDocument problem =
        refused(
            new RequestRejectedException(
                RejectionCode.UNAVAILABLE, "the body broke off; send the same again", failure),
            request);
    // The server takes no answer for this any more but that of an error page.
    request.setAttribute(ProblemWriter.BROKE_OFF_ATTRIBUTE, problem);
    return ProblemWriter.response(problem);
  }

  /// Whether a connection ended within a body, or a stop of this service ended it: nobody's
  /// mistake. One that stands still is ended by the server with 408, and what is no body by its own
  /// words.
  private static boolean brokeOff(@Nullable Throwable cause) {
    return cause instanceof ClientAbortException
        ? !(cause.getCause() instanceof SocketTimeoutException)
        : cause instanceof IOException && !(cause instanceof BadRequestException);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> bodyRefused(
      RequestGate.BodyRefusedException failure, HttpServletRequest request) {
    return refusal(failure.refusal(), request);
  }

  /// Percent signs without digits, names without values: found when the first parameter is asked
  /// for.
  @ExceptionHandler
  ResponseEntity<ProblemDocument> brokenQuery(
      InvalidParameterException failure, HttpServletRequest request) {
    return refusal(
        new RequestRejectedException(
            RejectionCode.MALFORMED, "the query is no list of names and values in UTF-8", failure),
        request);
  }

  @ExceptionHandler({NoResourceFoundException.class, NoHandlerFoundException.class})
  ResponseEntity<ProblemDocument> noRoute(HttpServletRequest request) {
    HttpHeaders headers = new HttpHeaders();
    if (request.getMethod().equals(HttpMethod.OPTIONS.name())) {
      headers.set(HttpHeaders.ALLOW, ""); // else the server names every method it knows
    }
    return ProblemWriter.response(ProblemDocument.noRoute(TraceId.of(request)), headers);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> wrongMethod(
      HttpRequestMethodNotSupportedException failure, HttpServletRequest request) {
    HttpHeaders headers = new HttpHeaders();
    if (failure.getSupportedHttpMethods() != null) {
      headers.setAllow(failure.getSupportedHttpMethods());
    }
    String allowed =
        String.join(", ", headers.getAllow().stream().map(HttpMethod::name).sorted().toList());
    return ProblemWriter.response(
        ProblemDocument.wrongMethod(failure.getMethod(), allowed, TraceId.of(request)), headers);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> wrongContentType(
      HttpMediaTypeNotSupportedException failure, HttpServletRequest request) {
    return http(
        UNSUPPORTED_MEDIA_TYPE,
        "unsupported_media_type",
        String.format(
            Locale.ROOT,
            "content type %s, want %s",
            StringUtils.hasText(request.getContentType()) ? request.getContentType() : "missing",
            list(failure.getSupportedMediaTypes())),
        request);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> notAcceptable(
      HttpMediaTypeNotAcceptableException failure, HttpServletRequest request) {
    return http(
        NOT_ACCEPTABLE,
        "not_acceptable",
        failure.getSupportedMediaTypes().isEmpty()
            ? "Accept is no list of media types"
            : "the answer comes as " + list(failure.getSupportedMediaTypes()),
        request);
  }

  /// Whoever asked hung up before the answer was out: nobody's fault, and nobody to tell.
  @ExceptionHandler({AsyncRequestNotUsableException.class, ClientAbortException.class})
  void gone(HttpServletResponse response) {
    // That it takes the response says that it was answered.
  }

  /// An answer that could not be written: mostly since whoever asked is gone.
  @ExceptionHandler
  @Nullable ResponseEntity<ProblemDocument> unwritable(
      HttpMessageNotWritableException failure, HttpServletRequest request) {
    for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof AsyncRequestNotUsableException
          || cause instanceof ClientAbortException) {
        return null;
      }
    }
    return failure(failure, request);
  }

  @ExceptionHandler
  ResponseEntity<ProblemDocument> failure(Exception failure, HttpServletRequest request) {
    return ProblemWriter.response(failed(failure, request));
  }

  private ProblemDocument failed(Throwable failure, HttpServletRequest request) {
    LINES.line(end -> LOG.error("A request failed, trace {}{}", TraceId.of(request), end, failure));
    metrics.failed();
    return ProblemDocument.internal(TraceId.of(request));
  }

  /// Counts, logs and answers what goes wrong in a {@link PublicFilesServlet}, which the framework
  /// does not do there.
  void answer(Throwable failure, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    switch (failure) {
      case ClientAbortException _ -> {
        // Whoever asked hung up.
      }
      case RequestRejectedException refusal ->
          ProblemWriter.write(response, refused(refusal, request));
      default -> {
        ProblemDocument problem = failed(failure, request);
        if (response.isCommitted()) {
          throw new IOException("failed with an answer under way", failure);
        }
        response.resetBuffer();
        ProblemWriter.write(response, problem);
      }
    }
  }

  /// Counts and logs what ends an answer that is under way.
  void brokenOff(Throwable failure, HttpServletRequest request) {
    if (failure instanceof RequestRejectedException refusal) {
      metrics.refused(refusal.code());
    } else {
      metrics.failed();
    }
    LINES.line(
        end -> LOG.error("An answer broke off, trace {}{}", TraceId.of(request), end, failure));
  }

  private static String list(List<MediaType> types) {
    return String.join(" or ", types.stream().map(MediaType::toString).distinct().toList());
  }

  private static ResponseEntity<ProblemDocument> http(
      int status, String code, String detail, HttpServletRequest request) {
    return ProblemWriter.response(ProblemDocument.http(status, code, detail, TraceId.of(request)));
  }
}
