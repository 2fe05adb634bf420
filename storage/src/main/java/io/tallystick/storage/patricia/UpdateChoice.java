package io.tallystick.storage.patricia;

import java.util.Arrays;

/// The decision model: which way to update nodes suits a batch. LockNU makes no node that it takes
/// away again, and waits where keys meet; PhaseNU never waits. So PhaseNU is for keys that share
/// more than chance would have them share, on processors enough to meet in the same nodes: the
/// paper finds it better there. On two it was slower for all keys (`docs/performance.md`, "Clue
/// trie").
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.3.
final class UpdateChoice {
  /// Nibbles that two neighbours of a sorted sample share beyond what evenly spread keys would.
  private static final double CLUSTERED_NIBBLES = 1.0;

  /// Fewer do not meet often enough. From the paper's argument: not measured here.
  private static final int WORKERS_MIN = 8;

  private static final int SAMPLE = 256;

  private UpdateChoice() {}

  static UpdateWay of(TrieBatch batch, int workers) {
    return workers >= WORKERS_MIN && isClustered(batch) ? UpdateWay.PHASE_NU : UpdateWay.LOCK_NU;
  }

  private static boolean isClustered(TrieBatch batch) {
    int count = Math.min(SAMPLE, batch.size());
    if (count < 2) {
      return false;
    }
    byte[][] sample = new byte[count][];
    for (int i = 0; i < count; i++) {
      sample[i] = batch.key((int) ((long) i * batch.size() / count));
    }
    Arrays.sort(sample, Arrays::compareUnsigned);
    double shared = 0;
    for (int i = 1; i < count; i++) {
      shared += Nibbles.shared(sample[i - 1], sample[i], 0, 0);
    }
    double chance = Math.log(count) / Math.log(Branch.WIDTH);
    return shared / (count - 1) > chance + CLUSTERED_NIBBLES;
  }
}
