package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_attribute;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import org.jspecify.annotations.Nullable;

/// The primary context of the first device, with the kernels. After the first failure of any part
/// it is lost: {@link #enter} refuses, so nothing more is launched.
final class CudaContext {
  private static final int CAPABILITY_MIN = 7; // the PTX's sm_70
  private static final long HANGING_CLOSE_NANOS_MAX = 1_000_000_000;
  private static final long SPIN_NANOS =
      200_000; // as long as a block of a few thousand leaves takes
  private static final long PARK_NANOS = 20_000;

  private final CudaDriver driver;
  private final CUdevice device;
  private final DeviceProperties properties;
  private final CUcontext context;
  private final Map<Kernel, CUfunction> functions = new EnumMap<>(Kernel.class);
  private final long waitNanosMax;
  private volatile boolean isHanging;
  private final AtomicReference<@Nullable DeviceLostException> lost = new AtomicReference<>();
  private final Deque<DriverCall> made = new ArrayDeque<>();

  private CudaContext(CudaDriver driver, CUdevice device, Duration waitMax)
      throws DeviceLostException, DeviceUnavailableException {
    this.driver = driver;
    this.device = device;
    this.properties = properties(driver, device);
    this.waitNanosMax = waitMax.toNanos();
    this.context = driver.retain(device);
  }

  /// @param waitMax how long to wait for the device, each time
  static CudaContext open(CudaDriver driver, Duration waitMax)
      throws DeviceLostException, DeviceUnavailableException {
    if (driver.devices() == 0) {
      throw new DeviceUnavailableException("the CUDA driver has no device");
    }
    CudaContext context = new CudaContext(driver, driver.device(0), waitMax);
    try {
      context.load();
      return context;
    } catch (DeviceLostException e) {
      context.close();
      throw e;
    }
  }

  private void load() throws DeviceLostException {
    driver.setCurrent(context);
    CUmodule module = driver.load(KernelImage.ptx());
    onClose(() -> driver.unload(module));
    for (Kernel kernel : Kernel.values()) {
      functions.put(kernel, driver.function(module, kernel.entry()));
    }
  }

  private static DeviceProperties properties(CudaDriver driver, CUdevice device)
      throws DeviceLostException, DeviceUnavailableException {
    int major =
        driver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    int minor =
        driver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    String model = driver.name(device);
    if (major < CAPABILITY_MIN) {
      throw new DeviceUnavailableException(
          String.format(
              Locale.ROOT,
              "%s, compute capability %d.%d, want at least %d.0",
              model,
              major,
              minor,
              CAPABILITY_MIN));
    }
    int version = driver.version();
    return new DeviceProperties(
        model,
        major,
        minor,
        driver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
        driver.attribute(CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device),
        driver.memoryBytes(device),
        version / 1000 + "." + version % 1000 / 10);
  }

  DeviceProperties properties() {
    return properties;
  }

  CudaDriver driver() {
    return driver;
  }

  CUfunction function(Kernel kernel) {
    CUfunction function = functions.get(kernel);
    if (function == null) {
      throw new AssertionError(kernel);
    }
    return function;
  }

  /// To be called before the driver's functions, and after each time that the thread may have
  /// parked: a virtual thread goes on elsewhere, and the driver knows threads of the system.
  void enter() throws DeviceLostException {
    DeviceLostException cause = lost.get();
    if (cause != null) {
      throw new DeviceLostException("lost before: " + cause.getMessage(), cause);
    }
    driver.setCurrent(context);
  }

  boolean isLost() {
    return lost.get() != null;
  }

  /// Nothing is launched from now on.
  void lose(DeviceLostException cause) {
    lost.compareAndSet(null, cause);
  }

  /// Waits until all that was put into a stream is done.
  ///
  /// @throws DeviceLostException also if it takes too long, or the device is lost meanwhile
  void await(CUstream stream) throws DeviceLostException {
    boolean wasInterrupted = false;
    try {
      long start = System.nanoTime();
      boolean isLate = false;
      while (!driver.isDone(stream)) {
        // Asked once more when the time is up: it may be this process that stood still.
        if (isLate) {
          isHanging = true;
          throw new DeviceLostException(
              "the device did not finish in " + Duration.ofNanos(waitNanosMax).toMillis() + " ms");
        }
        long waited = System.nanoTime() - start;
        isLate = waited > waitNanosMax;
        if (waited < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          wasInterrupted |= Thread.interrupted(); // or it would not park
          LockSupport.parkNanos(PARK_NANOS);
          enter();
        }
      }
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @FunctionalInterface
  interface DriverCall {
    void run() throws DeviceLostException;
  }

  /// Frees something. A failure is not reported: nothing is launched after it.
  static void quietly(DriverCall call) {
    try {
      call.run();
    } catch (DeviceLostException | RuntimeException _) {
      // What is left goes on to be freed.
    }
  }

  /// What frees something that was made in the context. On close the last is called first.
  void onClose(DriverCall freeing) {
    synchronized (made) {
      made.push(freeing);
    }
  }

  /// Frees what can be freed, and waits for that as long as for the device, or a second if that did
  /// not finish before: a driver may wait for ever for a device that hangs. Nobody is at work in
  /// the context.
  void close() {
    Thread closing = Thread.ofPlatform().daemon().name("gpu-close").start(this::free);
    try {
      long waitMax = isHanging ? Math.min(HANGING_CLOSE_NANOS_MAX, waitNanosMax) : waitNanosMax;
      closing.join(Duration.ofNanos(waitMax));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void free() {
    quietly(() -> driver.setCurrent(context));
    synchronized (made) {
      made.forEach(CudaContext::quietly);
    }
    quietly(() -> driver.release(device));
  }
}
