package io.tallystick.bench.cluster;

import io.tallystick.bench.figure.MeasuredCases;

/// The cases of `tally bench cluster`.
public final class ClusterBench {
  private ClusterBench() {}

  public static MeasuredCases cases(ClusterSizes sizes) {
    return new MeasuredCases()
        .with("batch", new ClusterBatchCase(sizes))
        .with("singles", new SinglesCase(sizes))
        .with("takeover", new TakeoverCase(sizes, false))
        .with("takeover-cold", new TakeoverCase(sizes, true))
        .with("shards", new ShardsCase(sizes));
  }
}
