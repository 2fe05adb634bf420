package io.tallystick.proxy.rest;

import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Collections;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/// Refuses a query parameter that the operation does not know, or that is there twice, and a bare
/// `+`: what is misspelt would be ignored in silence, and answered as if it had not been asked.
final class KnownQuery implements HandlerInterceptor {
  /// The routes it stands before.
  static final String[] PATHS = {"/v1/**"};

  private final Map<Method, SortedSet<String>> known = new ConcurrentHashMap<>();

  @Override
  public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
      throws RequestRejectedException {
    if (request.getQueryString() == null
        || !(handler instanceof HandlerMethod operation)
        || request.getMethod().equals(HttpMethod.OPTIONS.name())) {
      return true;
    }
    checkPlus(request.getQueryString());
    check(request.getParameterMap(), known.computeIfAbsent(operation.getMethod(), KnownQuery::of));
    return true;
  }

  /// The names that an operation knows, sorted.
  static SortedSet<String> of(Method operation) {
    SortedSet<String> names = new TreeSet<>();
    for (Parameter parameter : operation.getParameters()) {
      QueryNames several = parameter.getAnnotation(QueryNames.class);
      RequestParam one = parameter.getAnnotation(RequestParam.class);
      if (several != null) {
        Collections.addAll(names, several.value());
      } else if (one != null) {
        names.add(one.name());
      }
    }
    return Collections.unmodifiableSortedSet(names);
  }

  /// Forms write a space as `+`, URIs do not: whoever sends one may mean either.
  private static void checkPlus(String query) throws RequestRejectedException {
    int at = query.indexOf('+');
    if (at >= 0) {
      String name = query.substring(query.lastIndexOf('&', at) + 1, at).replaceFirst("=.*", "");
      throw malformed(
          "query parameter "
              + name
              + " has a + that is not escaped; write %2B for a plus sign, %20 for a space");
    }
  }

  private static void check(Map<String, String[]> query, SortedSet<String> known)
      throws RequestRejectedException {
    for (String name : query.keySet()) {
      if (!known.contains(name)) {
        throw malformed(
            "there is no query parameter "
                + name
                + " here, "
                + (known.isEmpty() ? "nor any other" : "only " + String.join(", ", known)));
      }
    }
    for (Map.Entry<String, String[]> each : query.entrySet()) {
      if (each.getValue().length > 1) {
        throw malformed(each.getKey() + " is there " + each.getValue().length + " times");
      }
    }
  }

  private static RequestRejectedException malformed(String detail) {
    return new RequestRejectedException(RejectionCode.MALFORMED, detail);
  }
}
