package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.ServiceInfo;
import io.tallystick.client.TallyClient;
import io.tallystick.client.failure.RetryPolicy;
import io.tallystick.client.failure.TallyException;
import java.time.Duration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Whether the service answers, found out by asking it, each time, once and not for long. Up says
/// that reads get through, not that appends are taken: that its own readiness tells.
final class TallyHealthIndicator implements HealthIndicator, AutoCloseable {
  private final ClientConfig config;

  /// A connection of its own: the application's client repeats what fails for half a minute.
  private final TallyClient probe;

  TallyHealthIndicator(ClientConfig config, Duration timeout) {
    this.config = config;
    this.probe = TallyClient.connect(config.withRetry(RetryPolicy.NONE).withCallTimeout(timeout));
  }

  @Override
  public Health health() {
    try {
      ServiceInfo service = probe.serviceDescription();
      return Health.up()
          .withDetail("target", config.target())
          .withDetail("authority", service.authority().toString())
          .withDetail("version", service.version())
          .build();
    } catch (TallyException e) {
      return Health.down(e).withDetail("target", config.target()).build();
    }
  }

  @Override
  public void close() {
    probe.close();
  }
}
