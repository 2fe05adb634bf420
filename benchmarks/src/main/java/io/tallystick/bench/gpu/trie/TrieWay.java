package io.tallystick.bench.gpu.trie;

/// How a batch is put into a {@link DeviceTrie}. The trie is the same.
///
/// Source: Accelerating Merkle Patricia Trie with GPU, section 3.1.
public enum TrieWay {
  /// Without locks, in phases.
  PHASE_NU,
  /// With optimistic lock coupling.
  LOCK_NU;

  /// Nibbles that two neighbours of a sorted sample share beyond what evenly spread keys would.
  private static final double CLUSTERED_NIBBLES = 1.0;

  private static final int SAMPLE = 256;
  private static final double RADIX = 16;

  /// The decision model: LockNU, but PhaseNU for keys that have longer common prefixes than evenly
  /// spread ones, because these meet at the same branches. A device always has more threads than
  /// may meet. Not measured on one yet.
  ///
  /// Source: section 3.1.3.
  public static TrieWay of(DeviceTrieBatch batch) {
    int count = Math.min(SAMPLE, batch.count());
    if (count < 2) {
      return LOCK_NU;
    }
    double chance = Math.log(count) / Math.log(RADIX);
    return batch.sharedNibbles(count) > chance + CLUSTERED_NIBBLES ? PHASE_NU : LOCK_NU;
  }
}
