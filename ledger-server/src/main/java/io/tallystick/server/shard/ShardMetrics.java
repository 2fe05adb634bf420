package io.tallystick.server.shard;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.tallystick.server.sequencer.Step;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/// What a shard tells its operator. Names carry the project's prefix `ledger_`.
final class ShardMetrics {
  private final MeterRegistry registry;
  private final Counter journals;
  private final DistributionSummary frameBytes;
  private final Timer force;
  private final Timer savepoint;
  private final Counter repeats;
  private final LongAdder clueRebuilds = new LongAdder();
  private final LongAdder stateRebuilds = new LongAdder();
  private final LongAdder versionsDropped = new LongAdder();

  ShardMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.journals =
        Counter.builder("ledger.journals.committed")
            .description("journals made durable")
            .register(registry);
    this.frameBytes =
        DistributionSummary.builder("ledger.commit.frame.bytes")
            .baseUnit("bytes")
            .description("size of commit frames")
            .register(registry);
    this.force =
        Timer.builder("ledger.commit.force")
            .description("write and force of one commit frame")
            .register(registry);
    this.savepoint =
        Timer.builder("ledger.savepoint").description("time of one savepoint").register(registry);
    this.repeats =
        Counter.builder("ledger.repeats")
            .description("submissions answered with their original's receipt")
            .register(registry);
    // Counted also while the shard opens, when no meter may be registered yet.
    FunctionCounter.builder("ledger.clue.rebuilds", clueRebuilds, LongAdder::sum)
        .description("times that damage made the clues of a ledger be filled again")
        .register(registry);
    FunctionCounter.builder("ledger.state.rebuilds", stateRebuilds, LongAdder::sum)
        .description("times that damage made the state of a ledger be filled again")
        .register(registry);
    FunctionCounter.builder("ledger.state.versions.dropped", versionsDropped, LongAdder::sum)
        .description("older versions of states that were dropped because the disk had no room")
        .register(registry);
  }

  void committed(Step<AdmittedAppend> step) {
    step.blocks().forEach(block -> journals.increment(block.journals()));
    repeats.increment(step.repeated().size());
  }

  void forced(int bytes, long nanos) {
    frameBytes.record(bytes);
    force.record(nanos, TimeUnit.NANOSECONDS);
  }

  void savepoint(long nanos) {
    savepoint.record(nanos, TimeUnit.NANOSECONDS);
  }

  void cluesRebuilt() {
    clueRebuilds.increment();
  }

  void versionsDropped(long versions) {
    versionsDropped.add(versions);
  }

  void stateRebuilt() {
    stateRebuilds.increment();
  }

  <T> void gauge(String name, String description, T of, ToDoubleFunction<T> value) {
    Gauge.builder(name, of, value)
        .description(description)
        .strongReference(true)
        .register(registry);
  }
}
