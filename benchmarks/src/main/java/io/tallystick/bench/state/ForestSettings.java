package io.tallystick.bench.state;

import io.tallystick.cli.process.ServiceProcess;
import io.tallystick.journal.StateParams;
import io.tallystick.server.host.NodeSeams;
import io.tallystick.server.shard.ShardConfig;
import io.tallystick.storage.forest.VersionLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What a forest is run with, beside what every forest has.
///
/// @param params of its ledger
/// @param savepointOperations operations after which a savepoint is taken; a shard's other reasons
///   hold as well
/// @param versions that savepoints keep
/// @param cacheBytes of the cache of nodes
record ForestSettings(
    StateParams params, long savepointOperations, VersionLimits versions, long cacheBytes) {
  /// A shard's.
  static final ShardConfig SHARD = ShardConfig.defaults();

  /// As many versions as savepoints are taken.
  private static final int ALL_VERSIONS = 10_000;

  private static final double MEBIBYTE = 1 << 20;

  /// What a service without settings gives the cache of nodes.
  static long shippedCacheBytes() {
    return NodeSeams.stateCacheBytes(ServiceProcess.heapBytes());
  }

  /// As a service without settings has it, but for the cache.
  static ForestSettings shipped(long cacheBytes) {
    return new ForestSettings(
        StateParams.DEFAULT, SHARD.savepoints().journals(), SHARD.states().saved(), cacheBytes);
  }

  ForestSettings with(StateParams other) {
    return new ForestSettings(other, savepointOperations, versions, cacheBytes);
  }

  ForestSettings withSavepointEvery(long operations) {
    return new ForestSettings(params, operations, versions, cacheBytes);
  }

  /// So many older versions, whatever room they take.
  ForestSettings withVersions(int count) {
    VersionLimits any = new VersionLimits(count, Long.MAX_VALUE, versions.operationsBetween());
    return new ForestSettings(params, savepointOperations, any, cacheBytes);
  }

  ForestSettings withAllVersions() {
    return withVersions(ALL_VERSIONS);
  }

  boolean savesAsShipped() {
    return savepointOperations == SHARD.savepoints().journals();
  }

  /// What is not as a service without settings has it; empty if all is.
  String departures() {
    List<String> all = new ArrayList<>();
    if (params.entriesMax() != StateParams.DEFAULT.entriesMax()) {
      all.add(String.format(Locale.ROOT, "N_cap %,d", params.entriesMax()));
    }
    if (!savesAsShipped()) {
      all.add(String.format(Locale.ROOT, "a savepoint in %,d operations", savepointOperations));
    }
    VersionLimits usual = SHARD.states().saved();
    if (versions.versions() != usual.versions()) {
      all.add(String.format(Locale.ROOT, "at most %,d older versions", versions.versions()));
    }
    if (versions.bytesMax() != usual.bytesMax()) {
      all.add("older versions of any size");
    }
    if (cacheBytes != shippedCacheBytes()) {
      all.add(String.format(Locale.ROOT, "a cache of %,.1f MiB", cacheBytes / MEBIBYTE));
    }
    return String.join(", ", all);
  }
}
