package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.HashDevice;
import io.tallystick.model.Digest;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A CUDA device that hashes in bulk, through JCuda's driver API.
///
/// A call is cut into chunks ({@link Pipeline}). Messages longer than a chunk are the CPU's, and so
/// are calls of messages that are long on average: one thread of a device computes a message, and
/// is slower than one of the CPU.
final class CudaHashDevice implements HashDevice {
  private static final long AVERAGE_BYTES_MAX = 16 << 10;

  private final CudaContext context;
  private final CudaRings rings;
  private final Lanes lanes;
  private final Pipeline pipeline;
  private final Duration waitMax;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private int worthwhileMessages = 1;
  private @Nullable CudaKernels kernels;

  private CudaHashDevice(CudaContext context, CudaRings rings, Duration waitMax) {
    this.context = context;
    this.rings = rings;
    this.lanes = new Lanes(rings.lanes());
    this.pipeline = new Pipeline(context, lanes);
    this.waitMax = waitMax;
  }

  /// The first device, if it computes right.
  ///
  /// @param natives where JCuda's library is unpacked; as {@link Gpu#open} says
  static CudaHashDevice open(Path natives) throws DeviceUnavailableException {
    // Not as a method reference, for which JCuda's classes would be loaded here.
    return open(natives, CudaSettings.standard(), () -> new CudaDriver());
  }

  static CudaHashDevice open(Path natives, CudaSettings settings, Supplier<CudaDriver> driver)
      throws DeviceUnavailableException {
    DriverProbe.check(settings.driver());
    try {
      JCudaLibrary.load(natives);
      return open(settings, driver.get());
    } catch (DeviceLostException e) {
      throw new DeviceUnavailableException(String.valueOf(e.getMessage()), e);
    } catch (UnsatisfiedLinkError e) {
      throw new DeviceUnavailableException(
          "JCuda's library cannot be loaded; is its folder mounted noexec?", e);
    } catch (LinkageError e) {
      throw new DeviceUnavailableException(
          "JCuda's library cannot be loaded (" + e.getClass().getSimpleName() + ")", e);
    }
  }

  private static CudaHashDevice open(CudaSettings settings, CudaDriver driver)
      throws DeviceLostException, DeviceUnavailableException {
    CudaContext context = CudaContext.open(driver, settings.waitMax());
    boolean isOpen = false;
    try {
      CudaRings rings = CudaRings.allocate(context, settings.memory());
      CudaHashDevice device = new CudaHashDevice(context, rings, settings.waitMax());
      SelfTest.run(device);
      device.worthwhileMessages =
          settings.worthwhileMessages().isPresent()
              ? settings.worthwhileMessages().getAsInt()
              : BreakEven.measure(device);
      isOpen = true;
      return device;
    } finally {
      if (!isOpen) {
        context.close();
      }
    }
  }

  @Override
  public String name() {
    return context.properties().describe();
  }

  DeviceProperties properties() {
    return context.properties();
  }

  @Override
  public int worthwhileMessages() {
    return worthwhileMessages;
  }

  @Override
  public void sha256(MemorySegment messages, int stride, int count, MemorySegment digests)
      throws DeviceLostException {
    run(new MessagesCall.EqualLength(rings.sizes(), messages, stride, count, digests), stride);
  }

  @Override
  public void sha256(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    hash(MessageHash.SHA256, messages, offsets, count, digests);
  }

  @Override
  public void leaves(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    hash(MessageHash.LEAVES, messages, offsets, count, digests);
  }

  @Override
  public void keccak256(MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    hash(MessageHash.KECCAK256, messages, offsets, count, digests);
  }

  @Override
  public void parents(MemorySegment children, int count, MemorySegment parents)
      throws DeviceLostException {
    subtrees(children, 2, count, parents);
  }

  /// Wider subtrees than a lane holds: the lower levels of all, then the upper levels upon them.
  @Override
  public void subtrees(MemorySegment leaves, int width, int count, MemorySegment nodes)
      throws DeviceLostException {
    MemorySegment below = leaves;
    long made = 0;
    for (int left = width; left > 1; ) {
      int part = Math.min(left, rings.sizes().messagesMax());
      int subtrees = count * (left / part);
      MemorySegment to = nodes.asSlice(made * Digest.BYTES);
      run(new SubtreesCall(rings.sizes(), below, part, subtrees, to), 0);
      made += (long) subtrees * (part - 1);
      below = nodes.asSlice((made - subtrees) * Digest.BYTES, (long) subtrees * Digest.BYTES);
      left /= part;
    }
  }

  private void hash(
      MessageHash hash, MemorySegment messages, int[] offsets, int count, MemorySegment digests)
      throws DeviceLostException {
    long bytes = (long) offsets[count] - offsets[0];
    run(
        new MessagesCall.AnyLength(rings.sizes(), hash, messages, offsets, count, digests),
        bytes / count);
  }

  /// @param averageBytes of its messages
  private void run(DeviceCall call, long averageBytes) throws DeviceLostException {
    if (averageBytes > AVERAGE_BYTES_MAX) {
      for (int unit = 0; unit < call.units(); unit++) {
        call.computeOnCpu(unit);
      }
      return;
    }
    pipeline.run(call);
  }

  /// What runs other kernels on the device; empty if it was lost.
  synchronized Optional<KernelDevice> kernels() {
    if (kernels == null && !isClosed.get()) {
      try {
        kernels = CudaKernels.open(context);
      } catch (DeviceLostException e) {
        context.lose(e);
      } catch (DeviceFullException _) {
        return Optional.empty();
      }
    }
    return context.isLost() ? Optional.empty() : Optional.ofNullable(kernels);
  }

  /// Waits for the device as long as a call does, at most, and reports nothing.
  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    boolean isIdle = lanes.close(waitMax);
    context.lose(new DeviceLostException("the device was closed"));
    if (isIdle) {
      context.close();
    }
  }

  @Override
  public Optional<MemorySegment> lend(int bytes) {
    return context.isLost() ? Optional.empty() : rings.pool().lend(bytes);
  }

  @Override
  public void takeBack(MemorySegment memory) {
    rings.pool().takeBack(memory);
  }
}
