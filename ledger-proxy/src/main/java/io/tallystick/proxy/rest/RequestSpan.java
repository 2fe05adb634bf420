package io.tallystick.proxy.rest;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.tallystick.proxy.trace.Tracing;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.springframework.web.servlet.HandlerMapping;

/// The attributes that a request's span gets once it is over: route, ledger and outcome.
final class RequestSpan {
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final int SERVER_ERROR = 500;

  private RequestSpan() {}

  static void end(Span span, HttpServletRequest request, int status) {
    if (span.isRecording()) {
      span.setAttribute(METHOD, request.getMethod());
      span.setAttribute(STATUS, status);
      if (request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE)
          instanceof String route) {
        span.updateName(request.getMethod() + " " + route);
        span.setAttribute(ROUTE, route);
      }
      if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE)
              instanceof Map<?, ?> variables
          && variables.get("ledger") instanceof String ledger) {
        span.setAttribute(Tracing.LEDGER, ledger);
      }
      if (request.getAttribute(ProblemWriter.CODE_ATTRIBUTE) instanceof String code) {
        span.setAttribute(Tracing.PROBLEM, code);
      }
      if (status >= SERVER_ERROR) {
        span.setStatus(StatusCode.ERROR);
      }
    }
    span.end();
  }
}
