package io.tallystick.gpu;

import java.time.Duration;
import java.util.OptionalInt;

/// How a CUDA device is used.
///
/// @param driver name of the driver's library, as the system's loader finds it
/// @param memory what is taken at first
/// @param waitMax how long the host waits for the device, each time, before it gives it up
/// @param worthwhileMessages measured if it is not given
record CudaSettings(
    String driver, RingSizes memory, Duration waitMax, OptionalInt worthwhileMessages) {
  /// A system property: from how many messages a call goes to the device. It is measured without.
  private static final String WORTHWHILE = "tallystick.gpu.worthwhileMessages";

  /// A system property: how many seconds the host waits for the device, each time.
  private static final String WAIT_SECONDS = "tallystick.gpu.waitSeconds";

  private static final int WAIT_SECONDS_STANDARD = 10;

  static CudaSettings standard() {
    Integer worthwhile = Integer.getInteger(WORTHWHILE);
    return new CudaSettings(
        "libcuda.so.1",
        RingSizes.STANDARD,
        Duration.ofSeconds(Math.max(1, Integer.getInteger(WAIT_SECONDS, WAIT_SECONDS_STANDARD))),
        worthwhile == null ? OptionalInt.empty() : OptionalInt.of(Math.max(1, worthwhile)));
  }
}
