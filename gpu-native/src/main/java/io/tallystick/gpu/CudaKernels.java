package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.driver.CUstream;

/// Runs kernels on a CUDA device, in a stream of its own, and waits for each. What is copied goes
/// through page-locked memory, so that a wait has an end.
final class CudaKernels implements KernelDevice {
  private static final int STAGING_BYTES = 4 << 20;

  private final CudaContext context;
  private final CudaDriver driver;
  private final CUstream stream;
  private final MemorySegment staging;
  private final LaunchParameters parameters = new LaunchParameters();
  private final Set<Long> allocated;

  private CudaKernels(
      CudaContext context, Set<Long> allocated, CUstream stream, MemorySegment staging) {
    this.context = context;
    this.driver = context.driver();
    this.allocated = allocated;
    this.stream = stream;
    this.staging = staging;
  }

  /// Freed with the context, and what was allocated by it too.
  static CudaKernels open(CudaContext context) throws DeviceLostException, DeviceFullException {
    context.enter();
    CudaDriver driver = context.driver();
    Set<Long> allocated = ConcurrentHashMap.newKeySet();
    context.onClose(
        () -> allocated.forEach(address -> CudaContext.quietly(() -> driver.free(address))));
    PinnedBlock staging = PinnedBlock.allocate(driver, STAGING_BYTES);
    context.onClose(staging::free);
    CUstream stream = driver.stream();
    context.onClose(() -> driver.destroy(stream)); // before what it may be at work in
    return new CudaKernels(context, allocated, stream, staging.memory());
  }

  @Override
  public DeviceMemory allocate(long bytes) throws DeviceLostException, DeviceFullException {
    try {
      context.enter();
      long address = driver.allocate(bytes);
      allocated.add(address);
      return new CudaMemory(this, address, bytes);
    } catch (DeviceLostException e) {
      throw lost(e);
    }
  }

  @Override
  public void launch(Kernel kernel, int blocks, int blockThreads, List<KernelArgument> arguments)
      throws DeviceLostException {
    parameters.clear();
    for (KernelArgument argument : arguments) {
      switch (argument) {
        case KernelArgument.Pointer pointer ->
            parameters.pointer(((CudaMemory) pointer.memory()).address() + pointer.offset());
        case KernelArgument.Word word -> parameters.word(word.value());
      }
    }
    try {
      context.enter();
      driver.launch(context.function(kernel), blocks, blockThreads, parameters.addresses(), stream);
      context.await(stream);
    } catch (DeviceLostException e) {
      throw lost(e);
    }
  }

  void copyIn(long to, MemorySegment from) throws DeviceLostException {
    try {
      context.enter();
      for (long done = 0; done < from.byteSize(); ) {
        long part = Math.min(STAGING_BYTES, from.byteSize() - done);
        MemorySegment.copy(from, done, staging, 0, part);
        driver.copyIn(to + done, staging.address(), part, stream);
        context.await(stream);
        done += part;
      }
    } catch (DeviceLostException e) {
      throw lost(e);
    }
  }

  void copyOut(long from, MemorySegment to) throws DeviceLostException {
    try {
      context.enter();
      for (long done = 0; done < to.byteSize(); ) {
        long part = Math.min(STAGING_BYTES, to.byteSize() - done);
        driver.copyOut(staging.address(), from + done, part, stream);
        context.await(stream);
        MemorySegment.copy(staging, 0, to, done, part);
        done += part;
      }
    } catch (DeviceLostException e) {
      throw lost(e);
    }
  }

  /// Of a device that was lost, it is freed with the context: the driver may wait for what hangs.
  void free(long address) {
    try {
      context.enter();
      if (allocated.remove(address)) {
        driver.free(address);
      }
    } catch (DeviceLostException e) {
      context.lose(e);
    }
  }

  private DeviceLostException lost(DeviceLostException cause) {
    context.lose(cause);
    return cause;
  }
}
