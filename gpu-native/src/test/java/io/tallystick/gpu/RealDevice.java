package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.testkit.hashing.BatchHasherContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what is proven with fakes holds on a device. Method: the contract of hashers on whatever
/// driver this machine has. {@link RealDeviceMain} runs it, as `gpu-native/device/run` does; no
/// build of this project does.
class RealDevice {
  @TempDir static Path natives;

  private static final List<DeviceLostException> lost = new ArrayList<>();
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
    assertThat(lost).isEmpty();
  }

  @Nested
  class AsHasher extends BatchHasherContract {
    @Override
    protected BatchHasher hasher() {
      return new DeviceBatchHasher(device, lost::add);
    }
  }

  @Test
  void hashesCallsOfManySizes() {
    SplittableRandom random = new SplittableRandom(11);
    BatchHasher hasher = new DeviceBatchHasher(device, lost::add);
    for (int count = 2; count <= RealDeviceMain.messages(); count = 3 * count + 1) {
      new AllCalls(random, count, Math.max(2, Integer.highestOneBit(count))).checkOn(hasher);
    }
  }
}
