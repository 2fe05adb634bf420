package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.gpu.KernelArgument.Pointer;
import io.tallystick.gpu.KernelArgument.Word;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: other work runs its kernels on the same device, in memory of its own, and a failure of one
/// is the end of both. Method: a hash kernel, launched by hand, with the fake driver.
class CudaKernelsTest {
  private static final int COUNT = 300;
  private static final int STRIDE = 40;

  @TempDir static Path natives;

  private FakeCuda fake;
  private CudaHashDevice device;
  private KernelDevice kernels;

  @BeforeEach
  void open() throws Exception {
    fake = FakeCuda.set("memory=32000000");
    device =
        CudaHashDevice.open(
            natives, FakeCuda.settings(FakeCuda.SMALL, Duration.ofMillis(500)), CudaDriver::new);
    kernels = device.kernels().orElseThrow();
    assertThat(device.kernels()).contains(kernels);
  }

  @AfterEach
  void close() throws InterruptedException {
    device.close();
    FakeCuda.set("");
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("gpu-close")) {
        thread.join(Duration.ofSeconds(10));
      }
    }
    assertThat(fake.held()).isEqualTo(FakeCuda.NOTHING);
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return bytes;
  }

  private void hash(DeviceMemory messages, DeviceMemory digests) throws DeviceLostException {
    kernels.launch(
        Kernel.SHA256_STRIDED,
        10,
        32,
        List.of(
            new Pointer(messages, 4),
            new Word(STRIDE),
            new Word(COUNT),
            new Pointer(digests, Digest.BYTES)));
  }

  @Test
  void runsAKernelInItsMemory() throws Exception {
    byte[] messages = bytes(COUNT * STRIDE);
    byte[] want = new byte[COUNT * Digest.BYTES];
    BatchHasher.cpu().sha256(messages, 0, STRIDE, COUNT, want, 0);
    byte[] made = new byte[want.length];
    try (DeviceMemory from = kernels.allocate(4 + messages.length);
        DeviceMemory to = kernels.allocate(Digest.BYTES + want.length)) {
      from.copyIn(4, MemorySegment.ofArray(messages));
      hash(from, to);
      to.copyOut(Digest.BYTES, MemorySegment.ofArray(made));
      assertThat(made).isEqualTo(want);
      assertThatThrownBy(() -> to.copyOut(Digest.BYTES + 1, MemorySegment.ofArray(made)))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  /// More than the memory that copies go through.
  @Test
  void copiesMuch() throws Exception {
    byte[] bytes = bytes(9_000_001);
    byte[] back = new byte[bytes.length];
    try (DeviceMemory memory = kernels.allocate(bytes.length)) {
      memory.copyIn(0, MemorySegment.ofArray(bytes));
      memory.copyOut(0, MemorySegment.ofArray(back));
    }
    assertThat(back).isEqualTo(bytes);
  }

  @Test
  void goesOnWhereThereIsNoRoom() throws Exception {
    String before = fake.held();
    assertThatThrownBy(() -> kernels.allocate(100_000_000)).isInstanceOf(DeviceFullException.class);
    try (DeviceMemory memory = kernels.allocate(1000)) {
      memory.copyIn(10, MemorySegment.ofArray(bytes(500)));
    }
    assertThat(fake.held()).isEqualTo(before);
  }

  /// What it had is freed with the device.
  @Test
  void isLostWithTheDeviceAndTheDeviceWithIt() throws Exception {
    try (DeviceMemory memory = kernels.allocate(1 << 20)) {
      FakeCuda.set("hang_at=1");
      assertThatThrownBy(() -> hash(memory, memory))
          .isInstanceOf(DeviceLostException.class)
          .hasMessage("the device did not finish in 500 ms");
    }
    assertThatThrownBy(() -> kernels.allocate(1)).isInstanceOf(DeviceLostException.class);
    MemorySegment bytes = MemorySegment.ofArray(new byte[64]);
    assertThatThrownBy(() -> device.sha256(bytes, 1, 1, bytes.asSlice(32)))
        .isInstanceOf(DeviceLostException.class)
        .hasMessage("lost before: the device did not finish in 500 ms");
    assertThat(fake.launches()).isEqualTo(1);
  }
}
