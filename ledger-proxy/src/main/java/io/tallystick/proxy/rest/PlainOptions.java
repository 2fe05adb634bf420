package io.tallystick.proxy.rest;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/// Lets a browser's preflight be an `OPTIONS` like any other: nothing here is shared between
/// origins, and the framework would name methods that the route does not have.
final class PlainOptions extends HttpFilter {
  private static final long serialVersionUID = 1;

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean options = request.getMethod().equals(HttpMethod.OPTIONS.name());
    chain.doFilter(options ? new NoPreflight(request) : request, response);
  }

  private static final class NoPreflight extends HttpServletRequestWrapper {
    NoPreflight(HttpServletRequest request) {
      super(request);
    }

    @Override
    public @Nullable String getHeader(String name) {
      return name.equalsIgnoreCase(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD)
          ? null
          : super.getHeader(name);
    }
  }
}
