package io.tallystick.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.HashBuffer;
import io.tallystick.hashing.Support;
import io.tallystick.testkit.Effort;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: whatever the driver does, digests are right, a device that fails is given up with its
/// reason, once, and nothing is left of it. Method: the fake driver fails at each call in turn,
/// answers wrong, hangs, and has no room.
class CudaFailureTest {
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final int BEFORE_SELF_TEST = 30;
  private static final String CLOSING =
      "cuStreamDestroy|cuMemFree|cuMemFreeHost|cuModuleUnload|cuDevicePrimaryCtxRelease";

  @TempDir static Path natives;

  private final AllCalls calls = new AllCalls(new SplittableRandom(3), 40, 8);
  private final AllCalls fewCalls = new AllCalls(new SplittableRandom(4), 2, 2);
  private final List<DeviceLostException> lost = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    FakeCuda fake = FakeCuda.set("");
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("gpu-close")) {
        thread.join(Duration.ofSeconds(10));
        assertThat(thread.isAlive()).isFalse();
      }
    }
    assertThat(fake.held()).isEqualTo(FakeCuda.NOTHING);
  }

  private static CudaHashDevice open() throws DeviceUnavailableException {
    return open(Duration.ofSeconds(10));
  }

  private static CudaHashDevice open(Duration waitMax) throws DeviceUnavailableException {
    return CudaHashDevice.open(
        natives, FakeCuda.settings(FakeCuda.SMALL, waitMax), CudaDriver::new);
  }

  /// In the short form one in seven of the self-test's calls, and all others.
  @Test
  void answersRightWhicheverCallFails() throws Exception {
    FakeCuda fake = FakeCuda.set("");
    open().close();
    long opening = fake.calls();
    int at = 1;
    while (failsAt(at, "", CudaDriver::new)) {
      at += at > BEFORE_SELF_TEST && at < opening - 20 ? Effort.of(7, 1) : 1;
    }
    assertThat(at).isGreaterThan(100);
  }

  /// A context that is broken fails each call from then on, also those that free.
  @Test
  void answersRightIfAllCallsFailFromOneOn() throws Exception {
    int at = 1;
    while (failsAt(at, " sticky", CudaDriver::new)) {
      at += Effort.of(11, 1);
    }
    assertThat(at).isGreaterThan(100);
  }

  /// @return whether the call was reached
  private boolean failsAt(int at, String more, Supplier<CudaDriver> driver) throws Exception {
    FakeCuda fake = FakeCuda.set("fail_at=" + at + more);
    lost.clear();
    String name = null;
    try (CudaHashDevice device = CudaHashDevice.open(natives, FakeCuda.settings(), driver)) {
      DeviceBatchHasher hasher = new DeviceBatchHasher(device, lost::add);
      calls.checkOn(hasher);
      runKernel(device);
      fewCalls.checkOn(hasher);
      name = fake.failed();
      if (name.isEmpty()) {
        assertThat(lost).isEmpty();
        assertThat(hasher.support()).isInstanceOf(Support.Available.class);
      } else {
        assertThat(lost).as(name).hasSize(1);
        assertThat(lost.getFirst()).hasMessageEndingWith(name + ": CUDA_ERROR_LAUNCH_FAILED (719)");
        assertThat(hasher.support()).isInstanceOf(Support.Unsupported.class);
      }
    } catch (DeviceUnavailableException e) {
      name = fake.failed();
      assertThat(e).hasMessage(name + ": CUDA_ERROR_LAUNCH_FAILED (719)");
    }
    // What fails while it is closed cannot be helped; the rest is freed.
    String failed = fake.failed();
    if (failed.matches(CLOSING)) {
      FakeCuda.set("empty");
    }
    assertThat(fake.held()).as(failed).isEqualTo(FakeCuda.NOTHING);
    return !failed.isEmpty();
  }

  /// Of other work, which has no CPU to go to here.
  private static void runKernel(CudaHashDevice device) throws Exception {
    Optional<KernelDevice> kernels = device.kernels();
    if (kernels.isEmpty()) {
      return;
    }
    try (DeviceMemory memory = kernels.get().allocate(1000)) {
      memory.copyIn(0, MemorySegment.ofArray(new byte[100]));
      List<KernelArgument> arguments =
          List.of(
              new KernelArgument.Pointer(memory, 0),
              new KernelArgument.Word(10),
              new KernelArgument.Word(3),
              new KernelArgument.Pointer(memory, 32));
      kernels.get().launch(Kernel.SHA256_STRIDED, 1, 32, arguments);
      memory.copyOut(0, MemorySegment.ofArray(new byte[100]));
    } catch (DeviceLostException e) {
      assertThat(e).hasMessageEndingWith("(719)");
    }
  }

  /// A driver of ours that does not look at a result. It is found, which shows that the test above
  /// would find it.
  @Test
  void findsAnErrorThatIsNotLookedAt() {
    Supplier<CudaDriver> forgetful =
        () ->
            new CudaDriver() {
              @Override
              void check(String function, int result) throws DeviceLostException {
                if (!function.equals("cuMemcpyHtoDAsync")) {
                  super.check(function, result);
                }
              }
            };
    assertThatThrownBy(
            () -> {
              int at = 1;
              while (failsAt(at, "", forgetful)) {
                at++;
              }
            })
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("cuMemcpyHtoDAsync");
  }

  @Test
  void refusesADeviceThatComputesWrong() {
    FakeCuda.set("wrong_from=1");
    assertThatThrownBy(() -> open())
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessageContaining("a wrong digest, of message");
  }

  @Test
  void recomputesWhatADeviceComputesWrongInOperation() throws Exception {
    FakeCuda.set("");
    try (CudaHashDevice device = open()) {
      DeviceBatchHasher hasher = new DeviceBatchHasher(device, lost::add);
      calls.checkOn(hasher);
      FakeCuda fake = FakeCuda.set("wrong_from=1");
      calls.checkOn(hasher);
      assertThat(fake.launches()).isEqualTo(1);
      assertThat(lost).hasSize(1);
      assertThat(lost.getFirst()).hasMessageContaining("a wrong digest, of message");
    }
  }

  /// Each kind of call finds it.
  @Test
  void findsAWrongDigestInEachKindOfCall() throws Exception {
    byte[] bytes = new byte[1024];
    int[] offsets = {0, 9, 70, 200};
    MemorySegment from = MemorySegment.ofArray(bytes);
    MemorySegment to = MemorySegment.ofArray(new byte[1024]);
    List<DeviceCallUnderTest> kinds =
        List.of(
            device -> device.sha256(from, 7, 3, to),
            device -> device.sha256(from, offsets, 3, to),
            device -> device.leaves(from, offsets, 3, to),
            device -> device.keccak256(from, offsets, 3, to),
            device -> device.parents(from, 3, to),
            device -> device.subtrees(from, 16, 1, to));
    for (DeviceCallUnderTest kind : kinds) {
      FakeCuda.set("");
      try (CudaHashDevice device = open()) {
        kind.call(device);
        FakeCuda.set("wrong_from=1");
        assertThatThrownBy(() -> kind.call(device))
            .isInstanceOf(DeviceLostException.class)
            .hasMessageContaining("wrong digest");
      }
    }
  }

  @FunctionalInterface
  private interface DeviceCallUnderTest {
    void call(CudaHashDevice device) throws DeviceLostException;
  }

  @Test
  void givesUpADeviceThatHangsWhileItIsOpened() {
    FakeCuda.set("hang_at=2");
    assertThatThrownBy(() -> open(SHORT))
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessage("the device did not finish in 500 ms");
  }

  /// Nobody waits longer than the limit, also those who wait for their turn, and who closes it.
  @Test
  void recomputesWhatADeviceDoesNotFinish() throws Exception {
    FakeCuda.set("");
    CudaHashDevice device = open(SHORT);
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, lost::add);
    calls.checkOn(hasher);
    FakeCuda fake = FakeCuda.set("hang_at=1");
    try (HashBuffer lent = hasher.buffer(1000);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      assertThat(device.lend(1)).isPresent();
      for (Future<?> call :
          threads.invokeAll(
              Collections.nCopies(6, Executors.callable(() -> calls.checkOn(hasher))))) {
        call.get(180, TimeUnit.SECONDS);
      }
      lent.put(new byte[2000], 0, 2000).endMessage();
    }
    assertThat(lost).hasSize(1);
    assertThat(lost.getFirst()).hasMessage("the device did not finish in 500 ms");
    device.close();
    assertThat(fake.held()).isNotEqualTo(FakeCuda.NOTHING);
  }

  @Test
  void takesLessMemoryWhereThereIsLittle() throws Exception {
    FakeCuda fake = FakeCuda.set("memory=1200000 pinned=1000000");
    RingSizes sizes = new RingSizes(1 << 20, 1 << 20);
    try (CudaHashDevice device =
        CudaHashDevice.open(
            natives, FakeCuda.settings(sizes, Duration.ofSeconds(10)), CudaDriver::new)) {
      calls.checkOn(new DeviceBatchHasher(device, lost::add));
      assertThat(fake.held()).startsWith("688640 pinned, 557568 on the device");
      assertThat(lost).isEmpty();
    }
  }

  @Test
  void refusesADeviceWithoutRoom() {
    FakeCuda.set("memory=100000");
    assertThatThrownBy(() -> open())
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessageContaining("cuMemAlloc: no room for 279040 bytes");
    FakeCuda.set("pinned=100000");
    assertThatThrownBy(() -> open())
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessageContaining("cuMemHostAlloc: no room for");
  }

  @Test
  void computesOnTheCpuOnceItIsClosed() throws Exception {
    FakeCuda fake = FakeCuda.set("");
    CudaHashDevice device = open();
    DeviceBatchHasher hasher = new DeviceBatchHasher(device, lost::add);
    device.close();
    long launches = fake.launches();
    calls.checkOn(hasher);
    assertThat(fake.launches()).isEqualTo(launches);
    assertThat(lost).hasSize(1);
    assertThat(lost.getFirst()).hasMessage("the device was closed");
  }
}
