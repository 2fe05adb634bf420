package io.tallystick.gpu;

import io.tallystick.bench.gpu.trie.TrieLimits;
import io.tallystick.bench.gpu.trie.TrieWay;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the trie that is proven with fakes holds on a device. Method: the contract on whatever
/// driver this machine has. {@link RealDeviceMain} runs it, as `gpu-native/device/run` does; no
/// build of this project does.
class RealTrie extends DeviceTrieContract {
  @TempDir static Path natives;

  private static CudaHashDevice device;

  @BeforeAll
  static void open() throws Exception {
    device = CudaHashDevice.open(natives, RealDeviceMain.settings(), CudaDriver::new);
  }

  @AfterAll
  static void close() {
    if (device != null) {
      device.close();
    }
  }

  @Override
  KernelDevice device(int seed) {
    return device.kernels().orElseThrow();
  }

  @Override
  int entries() {
    return RealDeviceMain.entries();
  }

  @Override
  int seeds() {
    return 2;
  }

  /// Enough threads at once that they meet, in both ways.
  @Test
  void putsManyKeys() throws Exception {
    int keys = RealDeviceMain.keys();
    TrieLimits limits = new TrieLimits(3 * keys, keys, 52);
    for (Keys kind : Keys.values()) {
      for (TrieWay way : TrieWay.values()) {
        SplittableRandom random = new SplittableRandom(12);
        try (Pair pair = new Pair(device.kernels().orElseThrow(), limits)) {
          for (int batch = 0; batch < 3; batch++) {
            for (int i = 0; i < keys; i++) {
              pair.put(kind.key(random), bytes(random, 52));
            }
            pair.apply(way);
          }
        }
      }
    }
  }
}
