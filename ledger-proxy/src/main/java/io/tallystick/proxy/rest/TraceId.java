package io.tallystick.proxy.rest;

import io.opentelemetry.api.trace.SpanContext;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The name of a request in problems and in the log: the caller's trace id if it sent one (W3C
/// Trace Context), else one of our own.
final class TraceId {
  private static final String ATTRIBUTE = TraceId.class.getName();
  private static final Pattern TRACEPARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.{0,256}");
  private static final int BYTES = 16;

  private TraceId() {}

  /// @param span of the request; its trace's id is taken if it has one
  static String begin(HttpServletRequest request, SpanContext span) {
    if (span.isValid()) {
      request.setAttribute(ATTRIBUTE, span.getTraceId());
      return span.getTraceId();
    }
    return begin(request);
  }

  private static String begin(HttpServletRequest request) {
    String header = request.getHeader("traceparent");
    Matcher matcher = TRACEPARENT.matcher(header == null ? "" : header);
    String id = matcher.matches() ? matcher.group(1) : fresh();
    request.setAttribute(ATTRIBUTE, id);
    return id;
  }

  static String of(HttpServletRequest request) {
    return request.getAttribute(ATTRIBUTE) instanceof String id ? id : begin(request);
  }

  private static String fresh() {
    byte[] id = new byte[BYTES];
    ThreadLocalRandom.current().nextBytes(id);
    return HexFormat.of().formatHex(id);
  }
}
