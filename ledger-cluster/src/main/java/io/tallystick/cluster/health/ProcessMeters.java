package io.tallystick.cluster.health;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmInfoMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.logging.LogbackMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/// The meters of a process, its JVM's among them. Those of a shard are there while one opening of
/// it is: gauges of an earlier opening would tell of what is closed. What was counted in an earlier
/// opening is counted on.
public final class ProcessMeters implements AutoCloseable {
  private static final String SHARD = "shard";

  private final PrometheusMeterRegistry all = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collector = new JvmGcMetrics();
  private final LogbackMetrics log = new LogbackMetrics();

  public ProcessMeters() {
    List.<MeterBinder>of(
            collector,
            log,
            new JvmMemoryMetrics(),
            new JvmThreadMetrics(),
            new JvmInfoMetrics(),
            new ClassLoaderMetrics(),
            new ProcessorMetrics(),
            new FileDescriptorMetrics(),
            new UptimeMetrics())
        .forEach(each -> each.bindTo(all));
  }

  /// Those of the process itself.
  public MeterRegistry ofProcess() {
    return all;
  }

  /// Those of one opening of a shard, named by its number; closed with it.
  public MeterRegistry ofShard(int shard) {
    return during(Tags.of(SHARD, Integer.toString(shard)));
  }

  /// Those of something that begins and ends within the process; closed with it.
  public MeterRegistry ofWhatEnds() {
    return during(Tags.empty());
  }

  private MeterRegistry during(Tags tags) {
    MeterRegistry its =
        new CompositeMeterRegistry() {
          @Override
          public void close() {
            // Not the registry below, as the class above does.
            getMeters().stream().filter(ProcessMeters::tellsOfNow).forEach(this::remove);
          }
        }.add(all);
    its.config().commonTags(tags);
    return its;
  }

  /// Whether a meter asks an object for its value; others hold theirs.
  private static boolean tellsOfNow(Meter meter) {
    return !(meter instanceof Counter
        || meter instanceof Timer
        || meter instanceof DistributionSummary);
  }

  /// In the text format of Prometheus.
  String text() {
    return all.scrape();
  }

  @Override
  public void close() {
    collector.close();
    log.close();
    all.close();
  }
}
