package io.tallystick.proxy.rest;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Whatever ends outside a controller is a problem document too.
@RestController
final class FallbackController implements ErrorController {
  private static final int BAD_REQUEST = 400;
  private static final int SERVER_ERROR = 500;

  private static final Map<Integer, String> CODES =
      Map.of(
          BAD_REQUEST,
          "malformed",
          404,
          "not_found",
          405,
          "method_not_allowed",
          413,
          "too_large",
          431,
          "headers_too_large");

  @RequestMapping("${server.error.path:/error}")
  @Nullable ResponseEntity<ProblemDocument> error(
      HttpServletRequest request, HttpServletResponse response) {
    if (response.isCommitted()) {
      return null; // an answer broke off; what would be added belongs to it
    }
    String trace = TraceId.of(request);
    Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
    if (!(status instanceof Integer code)) {
      // Asked for by its own path.
      return ProblemWriter.response(ProblemDocument.noRoute(trace));
    }
    if (request.getAttribute(ProblemWriter.BROKE_OFF_ATTRIBUTE)
        instanceof ProblemDocument brokeOff) {
      return ProblemWriter.response(brokeOff);
    }
    if (code >= SERVER_ERROR) {
      return ProblemWriter.response(ProblemDocument.internal(trace));
    }
    return ProblemWriter.response(
        ProblemDocument.http(
            code, CODES.getOrDefault(code, "malformed"), "the request was refused", trace));
  }
}
