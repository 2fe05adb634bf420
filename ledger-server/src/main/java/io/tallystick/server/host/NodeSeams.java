package io.tallystick.server.host;

import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.GpuMode;
import io.tallystick.node.NodeOptions;
import io.tallystick.node.StateLimits;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.forest.ForestLimits;
import io.tallystick.storage.forest.VersionLimits;
import java.time.InstantSource;

/// The settings and parts that a node is opened with.
///
/// @param parts opens what the node stands on; a test hands in a disk that fails on demand, or
///   parts in memory
/// @param clock of the ledgers' time
/// @param config limits of the shard
/// @param gpu whether a GPU hashes in bulk
/// @param gpuOpener opens it; a test hands in a device that fails on demand
public record NodeSeams(
    NodeParts.Factory parts,
    InstantSource clock,
    ShardConfig config,
    GpuMode gpu,
    GpuOpener gpuOpener) {
  /// A cache of nodes takes one part of so many of the heap.
  private static final int CACHE_OF_HEAP = 12;

  /// The CPU hashes.
  public NodeSeams(NodeParts.Factory parts, InstantSource clock, ShardConfig config) {
    this(parts, clock, config, GpuMode.OFF, Gpu::open);
  }

  /// The same as an operator wants it.
  public static NodeSeams production(NodeOptions options) {
    NodeSeams seams = production(options.gpu());
    return seams.withConfig(
        seams
            .config()
            .withDiskStallMillis(options.diskStall().toMillis())
            .withBlocks(options.blocks())
            .withStates(states(options.states())));
  }

  private static ForestLimits states(StateLimits states) {
    VersionLimits versions =
        new VersionLimits(
            states.versions(),
            states.versionsBytes().orElse(VersionLimits.AS_NEWEST),
            states.replayOperations(),
            VersionLimits.DEFAULT.freeBytesMin());
    long cacheBytes = states.cacheBytes().orElse(stateCacheBytes(Runtime.getRuntime().maxMemory()));
    return ForestLimits.DEFAULT.with(versions).withCacheBytes(cacheBytes);
  }

  /// Memory for nodes of states where no setting says how much.
  ///
  /// @param heapBytes of the process
  public static long stateCacheBytes(long heapBytes) {
    return Math.max(ForestLimits.DEFAULT.cacheBytes(), heapBytes / CACHE_OF_HEAP);
  }

  /// The parts of a local data directory, the machine's clock and the default limits.
  public static NodeSeams production(GpuMode gpu) {
    return production(gpu, Gpu::open);
  }

  /// The same on another GPU than the machine's.
  public static NodeSeams production(GpuMode gpu, GpuOpener gpuOpener) {
    return new NodeSeams(
        NodeParts::local, InstantSource.system(), ShardConfig.defaults(), gpu, gpuOpener);
  }

  /// The same with other limits.
  public NodeSeams withConfig(ShardConfig limits) {
    return new NodeSeams(parts, clock, limits, gpu, gpuOpener);
  }
}
