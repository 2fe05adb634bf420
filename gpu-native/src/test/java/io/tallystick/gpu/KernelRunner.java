package io.tallystick.gpu;

import java.io.IOException;

/// Something other than a device that runs the kernels, one launch a call. What a launch reads is
/// in memory of just its size, rounded up to words.
interface KernelRunner {
  /// @param blockThreads threads of a block
  /// @param seed of the order in which threads run
  record Launch(int blockThreads, int seed) {}

  byte[] sha256Strided(Launch launch, byte[] messages, int stride, int count)
      throws IOException, InterruptedException;

  byte[] sha256(Launch launch, MessageBatch messages, int prefix)
      throws IOException, InterruptedException;

  byte[] keccak256(Launch launch, MessageBatch messages) throws IOException, InterruptedException;

  /// @param leaves digests, a multiple of 2^levels
  byte[] subtrees(Launch launch, byte[] leaves, int levels)
      throws IOException, InterruptedException;
}
