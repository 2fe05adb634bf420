package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.testkit.Effort;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/// Goal: the trie on a device is right through the host code that a CUDA device has. Method: the
/// contract, with the fake driver; nothing stays allocated.
class CudaTrieTest extends DeviceTrieContract {
  @TempDir static Path natives;

  private static CudaHashDevice device;

  @BeforeAll
  static void open() throws Exception {
    FakeCuda.set("");
    device = CudaHashDevice.open(natives, FakeCuda.settings(), CudaDriver::new);
  }

  @AfterAll
  static void close() {
    device.close();
    assertThat(FakeCuda.set("").held()).isEqualTo(FakeCuda.NOTHING);
  }

  @Override
  KernelDevice device(int seed) {
    return device.kernels().orElseThrow();
  }

  @Override
  int entries() {
    return Effort.of(100, 300);
  }

  @Override
  int seeds() {
    return 1;
  }
}
