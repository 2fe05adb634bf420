package io.tallystick.bench.gpu;

import java.util.Arrays;

/// Compares what the device computed with what the CPU did: no figure of a wrong digest is
/// reported.
final class Digests {
  private Digests() {}

  static void equal(byte[] device, byte[] cpu) {
    int at = Arrays.mismatch(device, cpu);
    if (at >= 0) {
      throw new IllegalStateException("digest " + at / 32 + " differs from the CPU's");
    }
  }
}
