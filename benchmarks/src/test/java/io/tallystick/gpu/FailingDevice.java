package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// A device that is lost after some calls, and for good.
final class FailingDevice implements KernelDevice {
  private final KernelDevice device;
  private int left;
  private int open;

  /// @param calls that work
  FailingDevice(KernelDevice device, int calls) {
    this.device = device;
    this.left = calls;
  }

  /// Memories that were not given back.
  int open() {
    return open;
  }

  private void call() throws DeviceLostException {
    if (left == 0) {
      throw new DeviceLostException("planted");
    }
    left--;
  }

  private final class Memory implements DeviceMemory {
    private final DeviceMemory memory;

    private Memory(DeviceMemory memory) {
      this.memory = memory;
    }

    @Override
    public long bytes() {
      return memory.bytes();
    }

    @Override
    public void copyIn(long offset, MemorySegment from) throws DeviceLostException {
      call();
      memory.copyIn(offset, from);
    }

    @Override
    public void copyOut(long offset, MemorySegment to) throws DeviceLostException {
      call();
      memory.copyOut(offset, to);
    }

    @Override
    public void close() {
      open--;
      memory.close();
    }
  }

  @Override
  public DeviceMemory allocate(long bytes) throws DeviceLostException, DeviceFullException {
    call();
    open++;
    return new Memory(device.allocate(bytes));
  }

  @Override
  public void launch(Kernel kernel, int blocks, int blockThreads, List<KernelArgument> arguments)
      throws DeviceLostException {
    call();
    device.launch(
        kernel, blocks, blockThreads, arguments.stream().map(FailingDevice::inner).toList());
  }

  private static KernelArgument inner(KernelArgument argument) {
    return argument instanceof KernelArgument.Pointer(DeviceMemory memory, long offset)
        ? new KernelArgument.Pointer(((Memory) memory).memory, offset)
        : argument;
  }
}
