package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/// Puts problem documents into responses, inside the framework and where it does not reach.
final class ProblemWriter {
  /// The cache header of a problem: what is not there may be there soon.
  private static final String NO_STORE = "no-store";

  private static final String RETRY_AFTER_SECONDS = "1";
  private static final String RETRY_AFTER_STORAGE_FULL_SECONDS = "10";
  private static final long MS_PER_SECOND = 1_000;

  /// The attribute of a request with the code it was refused with, for its span.
  static final String CODE_ATTRIBUTE = ProblemWriter.class.getName() + ".code";

  /// The attribute of a request whose body broke off: the problem to answer.
  static final String BROKE_OFF_ATTRIBUTE = ProblemWriter.class.getName() + ".brokeOff";

  private ProblemWriter() {}

  static ResponseEntity<ProblemDocument> response(ProblemDocument problem) {
    return response(problem, new HttpHeaders());
  }

  static ResponseEntity<ProblemDocument> response(ProblemDocument problem, HttpHeaders headers) {
    headers.setCacheControl(NO_STORE);
    headers.setContentType(MediaType.parseMediaType(ProblemDocument.MEDIA_TYPE));
    if (problem.retryable()) {
      headers.set(HttpHeaders.RETRY_AFTER, retryAfter(problem));
    }
    if (asksForToken(problem.code())) {
      headers.set(HttpHeaders.WWW_AUTHENTICATE, challenge(problem.code()));
    }
    return ResponseEntity.status(problem.status()).headers(headers).body(problem);
  }

  static void write(HttpServletResponse response, ProblemDocument problem) throws IOException {
    response.setStatus(problem.status());
    response.setHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    if (problem.retryable()) {
      response.setHeader(HttpHeaders.RETRY_AFTER, retryAfter(problem));
    }
    if (asksForToken(problem.code())) {
      response.setHeader(HttpHeaders.WWW_AUTHENTICATE, challenge(problem.code()));
    }
    PlainAnswer.json(response, ProblemDocument.MEDIA_TYPE, problem);
  }

  private static boolean asksForToken(String code) {
    return code.equals(RejectionCode.TOKEN_REQUIRED.wire())
        || code.equals(RejectionCode.TOKEN_INVALID.wire());
  }

  /// RFC 6750 section 3.
  private static String challenge(String code) {
    return code.equals(RejectionCode.TOKEN_INVALID.wire())
        ? "Bearer error=\"invalid_token\""
        : "Bearer";
  }

  private static String retryAfter(ProblemDocument problem) {
    Long waitMs = problem.retryAfterMs();
    if (waitMs != null) {
      return String.valueOf(Math.ceilDiv(waitMs, MS_PER_SECOND));
    }
    return problem.code().equals(RejectionCode.STORAGE_FULL.wire())
        ? RETRY_AFTER_STORAGE_FULL_SECONDS
        : RETRY_AFTER_SECONDS;
  }
}
