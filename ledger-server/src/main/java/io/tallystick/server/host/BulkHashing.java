package io.tallystick.server.host;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tallystick.gpu.DeviceUnavailableException;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.Support;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The GPU or the CPU that a node hashes on in bulk, with its log lines and meters. Source:
/// `docs/operations.md`, "Hash on a GPU".
final class BulkHashing implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BulkHashing.class);
  private static final String NO_DEVICE = "none";

  private final Gpu gpu;
  private final LongAdder fallbacks;

  private BulkHashing(Gpu gpu, LongAdder fallbacks) {
    this.gpu = gpu;
    this.fallbacks = fallbacks;
  }

  /// @param natives where the device's library is unpacked to
  /// @throws IOException if a GPU is required and none works
  static BulkHashing open(NodeSeams seams, Path natives, MeterRegistry registry)
      throws IOException {
    LongAdder fallbacks = new LongAdder();
    Gpu gpu;
    try {
      gpu = seams.gpuOpener().open(seams.gpu(), natives, lost -> lost(fallbacks, lost));
    } catch (DeviceUnavailableException e) {
      throw new IOException("a GPU is required, and none works: " + e.getMessage(), e);
    }
    BulkHashing hashing = new BulkHashing(gpu, fallbacks);
    hashing.meter(registry);
    return hashing;
  }

  /// It may be lost before the framework asks for meters, so both are asked when they are read.
  private void meter(MeterRegistry registry) {
    Gauge.builder("ledger.gpu.active", this, it -> isDevice(it.support()) ? 1 : 0)
        .description("1 while a GPU hashes in bulk")
        .tag("device", gpu.device().orElse(NO_DEVICE))
        .register(registry);
    FunctionCounter.builder("ledger.gpu.fallbacks", this, it -> it.fallbacks.sum())
        .description("times that a GPU failed and the CPU took over")
        .register(registry);
  }

  private static boolean isDevice(Support support) {
    return switch (support) {
      case Support.Available _ -> true;
      case Support.Unsupported _ -> false;
    };
  }

  /// Logs what hashes, and why no GPU does.
  void tell() {
    switch (support()) {
      case Support.Available available ->
          LOG.info("the GPU hashes in bulk: {}", available.device());
      case Support.Unsupported none -> LOG.info("the CPU hashes in bulk, no GPU: {}", none.why());
    }
  }

  private static void lost(LongAdder fallbacks, DeviceLostException cause) {
    fallbacks.increment();
    LOG.warn("the GPU failed; the CPU hashes in bulk until a restart: {}", cause.getMessage());
  }

  BatchHasher hasher() {
    return gpu.hasher();
  }

  Support support() {
    return gpu.support();
  }

  @Override
  public void close() {
    gpu.close();
  }
}
