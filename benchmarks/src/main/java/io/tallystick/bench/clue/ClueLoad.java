package io.tallystick.bench.clue;

import io.tallystick.model.Digest;
import java.util.Arrays;
import java.util.SplittableRandom;

/// What is inserted: entry i is journal i + 1, of a clue drawn uniformly or by Zipf's law, with a
/// leaf hash from a pool of random bytes. Drawn beforehand, so that drawing is not measured.
final class ClueLoad {
  private static final int POOL_BYTES = 1 << 22;
  private static final int POOL_STEP = 37;

  private final Digest[] clueIds;
  private final int[] clues;
  private final byte[] pool = new byte[POOL_BYTES + Digest.BYTES];

  /// @param exponent of Zipf's law; 0 is uniform
  ClueLoad(int entries, int clueCount, double exponent, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    random.nextBytes(pool);
    clueIds = new Digest[clueCount];
    byte[] id = new byte[Digest.BYTES];
    for (int i = 0; i < clueCount; i++) {
      random.nextBytes(id);
      clueIds[i] = Digest.of(id);
    }
    double[] sums = new double[clueCount];
    double sum = 0;
    for (int i = 0; i < clueCount; i++) {
      sum += 1 / Math.pow(i + 1, exponent);
      sums[i] = sum;
    }
    clues = new int[entries];
    for (int i = 0; i < entries; i++) {
      int found = Arrays.binarySearch(sums, random.nextDouble() * sum);
      clues[i] = Math.min(found < 0 ? -found - 1 : found, clueCount - 1);
    }
  }

  int entries() {
    return clues.length;
  }

  Digest clueId(int entry) {
    return clueIds[clues[entry]];
  }

  /// The clue of a look-up: any of them, all alike.
  Digest anyClue(SplittableRandom random) {
    return clueIds[random.nextInt(clueIds.length)];
  }

  byte[] leafHashes() {
    return pool;
  }

  int leafHashAt(int entry) {
    return (int) ((long) entry * POOL_STEP % POOL_BYTES);
  }

  static long jsn(int entry) {
    return entry + 1L;
  }
}
