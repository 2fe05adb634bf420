package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.LedgerHandle;
import io.tallystick.client.TallyClient;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/// A {@link TallyClient} of the properties `tallystick.client.*`, closed with the application, and
/// a {@link LedgerHandle} of the ledger that they name. One that makes its own {@link ClientConfig}
/// has a client of that; one that makes its own client keeps it, and needs no properties.
@AutoConfiguration
@EnableConfigurationProperties(TallyClientProperties.class)
public final class TallyClientAutoConfiguration {
  @Bean
  @ConditionalOnProperty("tallystick.client.target")
  @ConditionalOnMissingBean({ClientConfig.class, TallyClient.class})
  ClientConfig tallyClientConfig(TallyClientProperties properties) throws IOException {
    return properties.toConfig();
  }

  /// It connects when it is first used: an application starts without the service.
  @Bean(destroyMethod = "close")
  @ConditionalOnBean(ClientConfig.class)
  @ConditionalOnMissingBean
  TallyClient tallyClient(ClientConfig config) {
    return TallyClient.connect(config);
  }

  /// It is opened when it is first used: what the service answers then is that call's exception.
  @Bean
  @ConditionalOnProperty("tallystick.client.ledger")
  @ConditionalOnBean(TallyClient.class)
  @ConditionalOnMissingBean
  LedgerHandle tallyLedger(
      TallyClient client, TallyClientProperties properties, ResourceLoader resources)
      throws IOException {
    return client.openLater(properties.ledgerId(), properties.keys(resources));
  }
}
