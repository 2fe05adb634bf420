package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.TallyClient;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/// A {@link TallyClient} of the properties `tallystick.client.*`, closed with the application. One
/// that makes its own {@link ClientConfig} has a client of that; one that makes its own client
/// keeps it, and needs no properties.
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
}
