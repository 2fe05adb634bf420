package io.tallystick.bench.gpu;

/// How much is hashed in one repetition.
///
/// @param kernelMessages of 64 bytes, in the device's memory
/// @param messages of 64 bytes, in pinned memory
/// @param treeLeaves a power of two
/// @param trieKeys that are inserted into an empty trie
public record GpuSizes(int kernelMessages, int messages, int treeLeaves, int trieKeys) {
  private static final GpuSizes FULL = new GpuSizes(1 << 24, 1_000_000, 1 << 24, 640_000);
  private static final int SMALLEST = 64;

  /// @param share of the full sizes, above 0 and at most 1
  public static GpuSizes of(double share) {
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("the share is " + share + ", want above 0 and at most 1");
    }
    return new GpuSizes(
        part(FULL.kernelMessages, share),
        part(FULL.messages, share),
        Integer.highestOneBit(part(FULL.treeLeaves, share)),
        part(FULL.trieKeys, share));
  }

  private static int part(int full, double share) {
    return Math.max(SMALLEST, (int) (full * share));
  }
}
