package io.tallystick.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// What an operator sees of the service, and how it leaves.
///
/// @param logFormat `tallystick.log-format`: of the lines on standard error, `text`, or `json` by
///   the Elastic Common Schema. Default `text`
/// @param management `tallystick.management`: where health and metrics are
/// @param tracing `tallystick.tracing`: where traces go
/// @param shutdownDelay `tallystick.shutdown-delay`: for how long a service that is told to end
///   still answers all, but says that it is not ready, so that clients are sent elsewhere. Default
///   0s, at most 5m
/// @param connectionAge `tallystick.connection-age`: after which a connection of gRPC takes no more
///   calls and its appends are told to go on over another; 1s or more, 0s: never. Default 0s
@ConfigurationProperties(ServiceProperties.PREFIX)
public record OperationProperties(
    @DefaultValue("text") LogFormat logFormat,
    @NestedConfigurationProperty @DefaultValue ManagementProperties management,
    @NestedConfigurationProperty @DefaultValue TracingProperties tracing,
    @DefaultValue("0s") Duration shutdownDelay,
    @DefaultValue("0s") Duration connectionAge) {
  private static final Duration SHUTDOWN_DELAY_MAX = Duration.ofMinutes(5);
  private static final Duration CONNECTION_AGE_MIN = Duration.ofSeconds(1);

  /// Not before what its constructor needs.
  static final OperationProperties DEFAULT =
      new OperationProperties(
          LogFormat.TEXT,
          ManagementProperties.OFF,
          TracingProperties.OFF,
          Duration.ZERO,
          Duration.ZERO);

  /// Of the lines on standard error.
  public enum LogFormat {
    TEXT,
    JSON
  }

  public OperationProperties {
    if (shutdownDelay.isNegative() || shutdownDelay.compareTo(SHUTDOWN_DELAY_MAX) > 0) {
      throw new IllegalArgumentException(
          "tallystick.shutdown-delay is "
              + shutdownDelay
              + ", want 0 to "
              + SHUTDOWN_DELAY_MAX.toSeconds()
              + " s");
    }
    if (!connectionAge.isZero() && connectionAge.compareTo(CONNECTION_AGE_MIN) < 0) {
      throw new IllegalArgumentException(
          "tallystick.connection-age is " + connectionAge + ", want 1 s or more, or 0 for none");
    }
  }

  OperationProperties withTracing(TracingProperties traces) {
    return new OperationProperties(logFormat, management, traces, shutdownDelay, connectionAge);
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.log-format=" + logFormat.name().toLowerCase(Locale.ROOT));
    arguments.addAll(management.arguments());
    arguments.addAll(tracing.arguments());
    arguments.add("--tallystick.shutdown-delay=" + shutdownDelay);
    arguments.add("--tallystick.connection-age=" + connectionAge);
    return arguments;
  }
}
