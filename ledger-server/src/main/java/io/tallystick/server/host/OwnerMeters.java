package io.tallystick.server.host;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.server.shard.SharedOwnership;
import io.tallystick.storage.replicated.ShardClaim;

/// What the owner of a shard tells its operator of its claim.
final class OwnerMeters {
  private static final double NANOS = 1e9;

  private OwnerMeters() {}

  /// @param takeoverNanos that the first claim of this opening took, until it served
  static void register(MeterRegistry registry, SharedOwnership ownership, long takeoverNanos) {
    Gauge.builder("ledger.shard.epoch", ownership, OwnerMeters::epoch)
        .description("epoch of the newest claim on the shard")
        .strongReference(true)
        .register(registry);
    Gauge.builder("ledger.takeover.seconds", () -> takeoverNanos / NANOS)
        .description("from the claim of the shard until it served")
        .strongReference(true)
        .register(registry);
  }

  private static double epoch(SharedOwnership ownership) {
    return ownership.claim().map(ShardClaim::epoch).orElse(0L);
  }
}
