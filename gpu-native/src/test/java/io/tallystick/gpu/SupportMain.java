package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.GpuMode;
import java.nio.file.Path;

/// Opens a device as the service does, hashes on it, and prints what supports it.
final class SupportMain {
  private SupportMain() {}

  /// @param args the folder for native libraries
  public static void main(String[] args) throws Exception {
    try (Gpu gpu = Gpu.open(GpuMode.AUTO, Path.of(args[0]), lost -> System.out.println(lost))) {
      BatchHasher hasher = gpu.hasher();
      byte[] digests = new byte[64];
      hasher.sha256(new byte[200], 0, 100, 2, digests, 0);
      System.out.println(gpu.support());
    }
  }
}
