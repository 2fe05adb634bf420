package io.tallystick.storage.patricia;

import java.util.Arrays;

/// The decision model: chooses LockNU or PhaseNU for a batch. LockNU makes no temporary nodes, but
/// its workers wait where keys meet. PhaseNU never waits. So PhaseNU is chosen for keys with longer
/// common prefixes than random keys have, and only with many workers; the paper finds it faster
/// there. With two workers it was slower for all keys.
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
    double chance = Math.log(count) / Math.log(BranchNode.WIDTH);
    return shared / (count - 1) > chance + CLUSTERED_NIBBLES;
  }
}
