package io.tallystick.proxy;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// Who outside the service vouches for the heads of its ledgers.
///
/// @param time `tallystick.time`: who stamps the heads of ledgers
/// @param witness `tallystick.witness`: who keeps the newest heads of ledgers
@ConfigurationProperties(ServiceProperties.PREFIX)
public record OutsideProperties(
    @NestedConfigurationProperty @DefaultValue TimeProperties time,
    @NestedConfigurationProperty @DefaultValue WitnessProperties witness) {
  static final OutsideProperties NOBODY =
      new OutsideProperties(TimeProperties.OFF, WitnessProperties.OFF);

  List<String> arguments() {
    return Stream.concat(time.arguments().stream(), witness.arguments().stream()).toList();
  }
}
