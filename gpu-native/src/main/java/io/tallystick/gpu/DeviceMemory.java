package io.tallystick.gpu;

import io.tallystick.hashing.DeviceLostException;
import java.lang.foreign.MemorySegment;

/// Memory of a {@link KernelDevice}, its own until it is closed.
public interface DeviceMemory extends AutoCloseable {
  long bytes();

  /// Copies all of `from` to `offset`. It is done when this returns.
  void copyIn(long offset, MemorySegment from) throws DeviceLostException;

  /// Fills all of `to` from `offset` on. It is done when this returns.
  void copyOut(long offset, MemorySegment to) throws DeviceLostException;

  /// Gives it back; of a device that was lost, too.
  @Override
  void close();
}
