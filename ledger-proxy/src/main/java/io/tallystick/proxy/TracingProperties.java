package io.tallystick.proxy;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Traces of calls.
///
/// @param endpoint `tallystick.tracing.endpoint`: of a collector that takes OTLP over HTTP, such as
///   `http://localhost:4318/v1/traces`; without one there are no traces
/// @param sampling `tallystick.tracing.sampling`: the share of calls that is recorded where the
///   caller does not say, 0 to 1. Default 0.1
public record TracingProperties(@Nullable String endpoint, @DefaultValue("0.1") double sampling) {
  static final TracingProperties OFF = new TracingProperties(null, 0.1);

  public TracingProperties {
    if (endpoint != null && !isWeb(endpoint)) {
      throw new IllegalArgumentException(
          "tallystick.tracing.endpoint is " + endpoint + ", want an http(s) URL");
    }
    // Written so that it also holds for what is no number.
    if (!(sampling >= 0 && sampling <= 1)) {
      throw new IllegalArgumentException(
          "tallystick.tracing.sampling is " + sampling + ", want 0 to 1");
    }
  }

  private static boolean isWeb(String text) {
    try {
      URI uri = URI.create(text);
      return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
          && uri.getHost() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.tracing.sampling=" + sampling);
    if (endpoint != null) {
      arguments.add("--tallystick.tracing.endpoint=" + endpoint);
    }
    return arguments;
  }
}
