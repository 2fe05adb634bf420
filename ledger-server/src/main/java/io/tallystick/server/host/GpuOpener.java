package io.tallystick.server.host;

import io.tallystick.gpu.DeviceUnavailableException;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.GpuMode;
import java.nio.file.Path;
import java.util.function.Consumer;

/// Opens what a node hashes on in bulk: {@link Gpu#open}, or in tests a device of their own.
@FunctionalInterface
public interface GpuOpener {
  /// As {@link Gpu#open}.
  Gpu open(GpuMode mode, Path natives, Consumer<DeviceLostException> onLost)
      throws DeviceUnavailableException;
}
