package io.tallystick.server.host;

import io.tallystick.server.shard.Shard;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/// The time by which a shard's ledgers judge who may do what until when: the machine's clock, and
/// never before the newest journal. A clock that was set back makes nothing valid again.
/// Thread-safe.
final class LedgerTime implements InstantSource {
  private final InstantSource clock;
  private volatile @Nullable Shard shard;

  LedgerTime(InstantSource clock) {
    this.clock = clock;
  }

  /// From now on the time is that of this shard's journals, too.
  void follow(Shard recovered) {
    shard = recovered;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    Shard known = shard;
    return known == null ? clock.millis() : Math.max(clock.millis(), known.sequencer().timeMs());
  }

  /// The time of the machine's clock.
  long clockMs() {
    return clock.millis();
  }
}
