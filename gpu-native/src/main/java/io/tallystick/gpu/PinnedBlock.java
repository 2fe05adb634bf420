package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Page-locked memory of the host. A use of it after it was freed is an exception.
final class PinnedBlock {
  private final CudaDriver driver;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  @SuppressWarnings("restricted") // the driver allocated as many bytes there
  private PinnedBlock(CudaDriver driver, long address, long bytes) {
    this.driver = driver;
    this.memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  static PinnedBlock allocate(CudaDriver driver, long bytes)
      throws DeviceLostException, DeviceFullException {
    return new PinnedBlock(driver, driver.allocatePinned(bytes), bytes);
  }

  MemorySegment memory() {
    return memory;
  }

  void free() throws DeviceLostException {
    arena.close();
    driver.freePinned(memory.address());
  }
}
