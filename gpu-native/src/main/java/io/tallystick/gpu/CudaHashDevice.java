package io.tallystick.gpu;

import java.nio.file.Path;

/// A CUDA device that hashes in bulk.
public final class CudaHashDevice {
  private CudaHashDevice() {}

  @SuppressWarnings("DoNotCallSuggester")
  static io.tallystick.crypto.HashDevice open(Path natives) throws DeviceUnavailableException {
    throw new DeviceUnavailableException("no CUDA driver is used yet, natives in " + natives);
  }
}
