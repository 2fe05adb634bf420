package io.tallystick.cluster.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Goal: what is shown of a shard is of its present opening, and what was counted is not forgotten.
/// Method: two openings of a shard, one after the other, beside another shard.
class ProcessMetersTest {
  private final ProcessMeters meters = new ProcessMeters();
  private final AtomicLong before = new AtomicLong(5);
  private final AtomicLong after = new AtomicLong(7);

  @AfterEach
  void close() {
    meters.close();
  }

  private static void register(MeterRegistry registry, AtomicLong value) {
    Gauge.builder("ledger.of.now", value, AtomicLong::get).strongReference(true).register(registry);
    FunctionCounter.builder("ledger.asked", value, AtomicLong::get).register(registry);
    Counter.builder("ledger.counted").register(registry).increment();
  }

  @Test
  void showsThePresentOpeningOfAShard() {
    MeterRegistry first = meters.ofShard(3);
    register(first, before);
    register(meters.ofShard(4), before);
    assertThat(meters.text())
        .contains(
            "ledger_of_now{shard=\"3\"} 5.0",
            "ledger_asked_total{shard=\"3\"} 5.0",
            "ledger_counted_total{shard=\"3\"} 1.0");
    first.close();
    assertThat(meters.text())
        .doesNotContain("ledger_of_now{shard=\"3\"}", "ledger_asked_total{shard=\"3\"}")
        .contains("ledger_of_now{shard=\"4\"} 5.0");
    register(meters.ofShard(3), after);
    assertThat(meters.text())
        .contains(
            "ledger_of_now{shard=\"3\"} 7.0",
            "ledger_asked_total{shard=\"3\"} 7.0",
            "ledger_counted_total{shard=\"3\"} 2.0",
            "ledger_counted_total{shard=\"4\"} 1.0");
  }

  @Test
  void showsWhatEndsWithinTheProcessWithoutAShard() {
    MeterRegistry its = meters.ofWhatEnds();
    register(its, before);
    assertThat(meters.text()).contains("ledger_of_now 5.0");
    its.close();
    assertThat(meters.text()).doesNotContain("ledger_of_now");
  }
}
