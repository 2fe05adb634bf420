package io.tallystick.proxy.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.http.Outcome;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.web.servlet.HandlerMapping;

/// Times requests by method, route and status, under the name that Spring Boot's dashboards expect.
/// Source: docs/decisions/0026-rest-answers.md. Thread-safe.
final class RequestTimer {
  private static final String METER = "http.server.requests";

  /// A caller may name any method; the meter has these and no more.
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE");

  private static final String UNKNOWN = "UNKNOWN";

  private final Map<Kind, Timer> timers = new ConcurrentHashMap<>();
  private final MeterRegistry meters;

  /// @param route a pattern; there are as many as the service has, whatever callers ask for
  private record Kind(String method, String route, int status) {}

  RequestTimer(MeterRegistry meters) {
    this.meters = meters;
  }

  /// A request that was answered.
  ///
  /// @param nanos from its head until its answer was made; what the server still holds of it may
  ///   leave later
  void answered(HttpServletRequest request, int status, long nanos) {
    String method = METHODS.contains(request.getMethod()) ? request.getMethod() : UNKNOWN;
    Object route = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
    Kind kind = new Kind(method, route instanceof String pattern ? pattern : UNKNOWN, status);
    timers.computeIfAbsent(kind, this::timer).record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(Kind kind) {
    return Timer.builder(METER)
        .description("HTTP requests, from their head until their answer was made")
        .tag("method", kind.method)
        .tag("uri", kind.route)
        .tag("status", String.valueOf(kind.status))
        .tags(Tags.of(Outcome.forStatus(kind.status).asTag()))
        .register(meters);
  }
}
