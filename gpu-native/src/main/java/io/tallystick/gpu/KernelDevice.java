package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.util.List;

/// What runs kernels in memory of its own: a CUDA device, or in tests something that stands for
/// one. One thread's at a time.
public interface KernelDevice {
  /// Memory of the device, at an address that is a multiple of 256, with undefined content. To be
  /// closed.
  ///
  /// @param bytes from 1
  /// @throws DeviceFullException if it has no room left; it goes on working
  DeviceMemory allocate(long bytes) throws DeviceLostException, DeviceFullException;

  /// Runs a kernel to its end.
  ///
  /// @param blocks of the grid, from 1
  /// @param blockThreads of each block, from 1 to {@link Kernel#BLOCK_THREADS_MAX}
  /// @param arguments in the order of the kernel's parameters
  void launch(Kernel kernel, int blocks, int blockThreads, List<KernelArgument> arguments)
      throws DeviceLostException;
}
