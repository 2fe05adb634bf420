package io.tallystick.gpu.ptx;

/// A run of a kernel over a grid of one dimension.
///
/// @param blocks at least 1
/// @param threads of each block, 1 to 1,024
/// @param sharedBytes the size of shared memory that the kernel declares without one
/// @param seed of the order of threads, and of what memory holds before it is written
/// @param instructionsMax the launch stops with a fault after as many instructions of all threads
public record Launch(
    String kernel,
    int blocks,
    int threads,
    int sharedBytes,
    Arguments arguments,
    long seed,
    long instructionsMax) {

  static final int THREADS_MAX = 1024;
  static final long SHARED_BYTES_MAX = 48 << 10;

  private static final long INSTRUCTIONS_MAX = 1_000_000_000;

  public Launch {
    if (blocks < 1 || threads < 1 || threads > THREADS_MAX) {
      throw new IllegalArgumentException(blocks + " blocks of " + threads + " threads");
    }
    if (sharedBytes < 0 || sharedBytes > SHARED_BYTES_MAX) {
      throw new IllegalArgumentException(sharedBytes + " bytes of shared memory");
    }
  }

  public static Launch of(String kernel, int blocks, int threads, Arguments arguments) {
    return new Launch(kernel, blocks, threads, 0, arguments, 0, INSTRUCTIONS_MAX);
  }

  public Launch withSeed(long newSeed) {
    return new Launch(kernel, blocks, threads, sharedBytes, arguments, newSeed, instructionsMax);
  }

  public Launch withSharedBytes(int bytes) {
    return new Launch(kernel, blocks, threads, bytes, arguments, seed, instructionsMax);
  }

  public Launch withInstructionsMax(long max) {
    return new Launch(kernel, blocks, threads, sharedBytes, arguments, seed, max);
  }
}
