package io.tallystick.client.trust;

import io.tallystick.note.Witnesses;
import java.time.Duration;

/// Who must have cosigned a head before it is believed, and how long the head may wait for that.
///
/// @param longest wait, from when the head was first seen; the service is asked again meanwhile. 0:
///   it is asked once. A service shows its heads to witnesses in rounds, of 10 s by default
public record WitnessQuorum(Witnesses witnesses, Duration longest) {
  /// Three rounds.
  private static final Duration WAIT = Duration.ofSeconds(30);

  public WitnessQuorum {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("wait " + longest + " is negative");
    }
  }

  /// With a wait of 30 s.
  public static WitnessQuorum of(Witnesses witnesses) {
    return new WitnessQuorum(witnesses, WAIT);
  }

  public WitnessQuorum withWait(Duration wait) {
    return new WitnessQuorum(witnesses, wait);
  }
}
