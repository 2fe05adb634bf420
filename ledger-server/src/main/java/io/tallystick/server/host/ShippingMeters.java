package io.tallystick.server.host;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.server.ship.ShippingCounts;
import java.time.InstantSource;
import java.util.OptionalLong;

/// What a shard tells its operator of the savepoints that it ships.
final class ShippingMeters {
  private static final double MILLIS = 1000;

  private ShippingMeters() {}

  static void register(MeterRegistry registry, ShippingCounts counts, InstantSource clock) {
    Gauge.builder("ledger.shipped.savepoint.age.seconds", counts, each -> age(each, clock))
        .description("since the newest savepoint was shipped; NaN if none was")
        .strongReference(true)
        .register(registry);
    FunctionCounter.builder("ledger.shipped.bytes", counts, ShippingCounts::bytes)
        .description("that were put into the store of savepoints")
        .register(registry);
    FunctionCounter.builder("ledger.shipped.pieces.reused", counts, ShippingCounts::reused)
        .description("pieces of savepoints that the store had already")
        .register(registry);
    FunctionCounter.builder("ledger.shipping.failures", counts, ShippingCounts::failures)
        .description("times that no savepoint could be shipped")
        .register(registry);
  }

  private static double age(ShippingCounts counts, InstantSource clock) {
    OptionalLong newest = counts.newestMs();
    return newest.isEmpty() ? Double.NaN : (clock.millis() - newest.getAsLong()) / MILLIS;
  }
}
