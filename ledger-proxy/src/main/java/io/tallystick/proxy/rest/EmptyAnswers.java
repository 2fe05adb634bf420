package io.tallystick.proxy.rest;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;

/// Makes a problem document of what the framework's own routes say by a status alone: that there is
/// no such part of the health.
final class EmptyAnswers implements HandlerInterceptor {
  /// The routes it stands behind.
  static final String[] PATHS = {"/actuator/**"};

  @Override
  public void postHandle(
      HttpServletRequest request,
      HttpServletResponse response,
      Object handler,
      @Nullable ModelAndView view)
      throws IOException {
    if (response.getStatus() == HttpServletResponse.SC_NOT_FOUND && !response.isCommitted()) {
      ProblemWriter.write(response, ProblemDocument.noRoute(TraceId.of(request)));
    }
  }
}
