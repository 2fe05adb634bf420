package io.tallystick.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Goal: settings of time that cannot work are refused by name.
class TimePropertiesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static TimeProperties with(
      List<String> urls, @Nullable String ca, @Nullable String policy, Duration interval) {
    return new TimeProperties(urls, ca, policy, interval, 1, SECOND, false, null, null);
  }

  @Test
  void refusesWhatCannotWork() {
    assertThatThrownBy(() -> with(List.of("http://a"), null, null, SECOND))
        .hasMessageContaining("tallystick.time.ca");
    assertThatThrownBy(() -> with(List.of("ftp://a"), "ca.pem", null, SECOND))
        .hasMessageContaining("ftp://a");
    assertThatThrownBy(() -> with(List.of("not a url"), "ca.pem", null, SECOND))
        .hasMessageContaining("tallystick.time.authorities");
    assertThatThrownBy(() -> with(List.of("http://a"), "ca.pem", "1.2.x", SECOND))
        .hasMessageContaining("tallystick.time.policy");
    assertThatThrownBy(() -> with(List.of("http://a"), "ca.pem", null, Duration.ZERO))
        .hasMessageContaining("tallystick.time.interval");
    assertThatThrownBy(
            () -> new TimeProperties(null, null, null, SECOND, 0, SECOND, false, null, null))
        .hasMessageContaining("tallystick.time.count");
    assertThatThrownBy(
            () -> new TimeProperties(null, null, null, SECOND, 1, Duration.ZERO, false, null, null))
        .hasMessageContaining("tallystick.time.timeout");
  }

  @Test
  void keepsTheOrderOfAuthorities() {
    assertThat(with(List.of("http://b/x", "https://a"), "ca.pem", "1.2.3", SECOND).urls())
        .containsExactly(URI.create("http://b/x"), URI.create("https://a"));
    assertThat(TimeProperties.OFF.urls()).isEmpty();
  }
}
