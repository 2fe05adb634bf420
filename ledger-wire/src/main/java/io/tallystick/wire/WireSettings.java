package io.tallystick.wire;

import java.time.Duration;

/// The limits of a wire.
///
/// @param deadline of a call that walks over no log
/// @param walkDeadline of one that does
/// @param poll how often a stub asks how its server is
/// @param inFlightBytes of submissions that one proxy has sent and that are not answered
public record WireSettings(
    Duration deadline, Duration walkDeadline, Duration poll, long inFlightBytes) {
  public static final WireSettings DEFAULT =
      new WireSettings(
          Duration.ofSeconds(30), Duration.ofMinutes(10), Duration.ofMillis(250), 64L << 20);

  public WireSettings {
    if (inFlightBytes < NodeMethods.MESSAGE_BYTES_MAX) {
      throw new IllegalArgumentException(
          inFlightBytes + " bytes in flight, want " + NodeMethods.MESSAGE_BYTES_MAX + " or more");
    }
  }
}
