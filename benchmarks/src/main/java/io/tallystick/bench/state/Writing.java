package io.tallystick.bench.state;

import java.util.List;
import java.util.SplittableRandom;

/// Writes a load into a contender, block by block. Only the contender's time counts; the puts are
/// made in between.
final class Writing {
  private final StateContender contender;
  private final StateLoad load;
  private final int batch;
  private long nanos;
  private long blocks;

  Writing(StateContender contender, StateLoad load, int batch) {
    this.contender = contender;
    this.load = load;
    this.batch = batch;
  }

  /// Inserts the keys `[from, to)`.
  ///
  /// @return puts per second
  double insert(int from, int to) throws Exception {
    long before = nanos;
    for (int first = from; first < to; first += batch) {
      put(load.range(first, Math.min(to, first + batch), 0));
    }
    return (to - from) * 1e9 / (nanos - before);
  }

  /// So many updates of random keys, distinct within a block.
  ///
  /// @param versions of each key, which are raised
  void update(int updates, SplittableRandom random, int[] versions) throws Exception {
    for (int done = 0; done < updates; done += batch) {
      put(load.updates(random, Math.min(batch, updates - done), versions, versions.length));
    }
  }

  /// One block.
  ///
  /// @return how long it took
  long put(List<Put> puts) throws Exception {
    long started = System.nanoTime();
    contender.putBatch(puts);
    long took = System.nanoTime() - started;
    nanos += took;
    blocks++;
    return took;
  }

  double nanosPerBlock() {
    return (double) nanos / blocks;
  }
}
