package io.tallystick.spring;

import io.tallystick.client.ClientConfig;
import io.tallystick.client.TallyClient;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/// A {@link TallyClient} of the properties `tallystick.client.*`, closed with the application. An
/// application that makes its own client, or its own {@link ClientConfig}, keeps it.
@AutoConfiguration
@ConditionalOnProperty("tallystick.client.target")
@EnableConfigurationProperties(TallyClientProperties.class)
public final class TallyClientAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  ClientConfig tallyClientConfig(TallyClientProperties properties) throws IOException {
    return properties.toConfig();
  }

  /// It connects when it is first used: an application starts without the service.
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  TallyClient tallyClient(ClientConfig config) {
    return TallyClient.connect(config);
  }
}
