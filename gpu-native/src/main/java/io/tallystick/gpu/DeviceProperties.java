package io.tallystick.gpu;

import java.util.Locale;

/// What a device is, as its driver says.
///
/// @param major of the compute capability
/// @param minor of the compute capability
/// @param multiprocessors how many it has
/// @param clockKilohertz the highest of its multiprocessors
/// @param memoryBytes of all its memory
/// @param driver the version of CUDA that the driver knows, such as `12.6`
public record DeviceProperties(
    String model,
    int major,
    int minor,
    int multiprocessors,
    int clockKilohertz,
    long memoryBytes,
    String driver) {
  private static final int MIB_SHIFT = 20;

  /// For people, in one line.
  String describe() {
    return String.format(
        Locale.ROOT,
        "%s, compute capability %d.%d, %d MiB, driver of CUDA %s",
        model,
        major,
        minor,
        memoryBytes >> MIB_SHIFT,
        driver);
  }
}
