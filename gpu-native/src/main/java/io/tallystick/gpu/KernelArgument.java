package io.tallystick.gpu;

/// A parameter that a kernel is launched with.
public sealed interface KernelArgument {
  /// An address in memory of the device.
  ///
  /// @param offset bytes from its start
  record Pointer(DeviceMemory memory, long offset) implements KernelArgument {}

  /// An unsigned number of 32 bits.
  record Word(int value) implements KernelArgument {}
}
