package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.LedgerHandle;
import java.io.IOException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/// The health of the service a client talks to, and of the ledgers that the application has, where
/// the application has health at all; off with `management.health.tallystick.enabled=false`.
@AutoConfiguration(after = TallyClientAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({ClientConfig.class, TallyClientProperties.class})
public final class TallyHealthAutoConfiguration {
  // Its condition stands here: on the class it would be looked for before it is known to be there.
  @ConditionalOnEnabledHealthIndicator("tallystick")
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean(name = "tallystickHealthIndicator")
  TallyHealthIndicator tallystickHealthIndicator(
      ClientConfig config,
      TallyClientProperties properties,
      ObjectProvider<LedgerHandle> ledgers,
      ResourceLoader resources)
      throws IOException {
    TallyHealthIndicator indicator =
        new TallyHealthIndicator(config, properties.healthTimeout(), ledgers);
    if (properties.ledger() != null) {
      indicator.watch(properties.ledgerId(), properties.keys(resources));
    }
    return indicator;
  }
}
