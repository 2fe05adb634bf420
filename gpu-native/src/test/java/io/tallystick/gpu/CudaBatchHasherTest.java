package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.GpuMode;
import io.tallystick.hashing.Support;
import io.tallystick.testkit.hashing.BatchHasherContract;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what the service is given for `--gpu auto` hashes as the CPU does, and every call of it
/// runs on the device. Method: the contract of all hashers, with the fake driver.
class CudaBatchHasherTest {
  private static final String WORTHWHILE = "tallystick.gpu.worthwhileMessages";

  @TempDir static Path natives;

  /// As it is used, but for the number of messages.
  @Nested
  class WithTheUsualMemory extends BatchHasherContract {
    private static final List<DeviceLostException> lost = new ArrayList<>();
    private static Gpu gpu;

    @BeforeAll
    static void open() throws Exception {
      FakeCuda.set("");
      System.setProperty(WORTHWHILE, "1");
      try {
        gpu = Gpu.open(GpuMode.REQUIRE, natives, lost::add);
      } finally {
        System.clearProperty(WORTHWHILE);
      }
    }

    @AfterAll
    static void close() {
      gpu.close();
      assertThat(lost).isEmpty();
      assertThat(FakeCuda.set("").held()).isEqualTo(FakeCuda.NOTHING);
    }

    @Override
    protected BatchHasher hasher() {
      return gpu.hasher();
    }

    @Test
    void saysWhatHashes() {
      String device = "Fake device, compute capability 9.0, 4096 MiB, driver of CUDA 12.6";
      assertThat(gpu.device()).contains(device);
      assertThat(gpu.support()).isEqualTo(new Support.Available(device));
    }
  }

  /// Most calls are cut into chunks, which two streams share.
  @Nested
  class WithLittleMemory extends BatchHasherContract {
    private static final List<DeviceLostException> lost = new ArrayList<>();
    private static CudaHashDevice device;
    private static BatchHasher hasher;

    @BeforeAll
    static void open() throws Exception {
      FakeCuda.set("");
      device = CudaHashDevice.open(natives, FakeCuda.settings(), CudaDriver::new);
      hasher = new DeviceBatchHasher(device, lost::add);
    }

    @AfterAll
    static void close() {
      device.close();
      assertThat(lost).isEmpty();
      assertThat(FakeCuda.set("").held()).isEqualTo(FakeCuda.NOTHING);
    }

    @Override
    protected BatchHasher hasher() {
      return hasher;
    }
  }
}
