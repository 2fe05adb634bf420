package io.tallystick.server.shard;

import io.tallystick.server.sequencer.Sequencer;
import java.time.Instant;
import java.time.InstantSource;

/// The time by which a shard's ledgers judge who may do what until when: the machine's clock, and
/// never before the newest journal. A clock that was set back makes nothing valid again.
/// Thread-safe.
public final class LedgerTime implements InstantSource {
  private final InstantSource clock;
  private final Sequencer sequencer;

  LedgerTime(InstantSource clock, Sequencer sequencer) {
    this.clock = clock;
    this.sequencer = sequencer;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    return Math.max(clock.millis(), sequencer.timeMs());
  }

  /// The time of the machine's clock.
  public long clockMs() {
    return clock.millis();
  }

  /// How far the newest journal's time is ahead of the clock; above 0 after it was set back.
  long aheadMs() {
    return Math.max(0, sequencer.timeMs() - clock.millis());
  }
}
