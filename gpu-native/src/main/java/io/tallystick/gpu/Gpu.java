package io.tallystick.gpu;

import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceBatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.GpuMode;
import io.tallystick.hashing.HashDevice;
import io.tallystick.hashing.Support;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The device that a process hashes in bulk on, or none. A device that fails is not used any more;
/// what it did not finish is computed on the CPU.
public final class Gpu implements AutoCloseable {
  private final @Nullable HashDevice device;
  private final BatchHasher hasher;
  private final String why; // there is none

  private Gpu(@Nullable HashDevice device, BatchHasher hasher, String why) {
    this.device = device;
    this.hasher = hasher;
    this.why = why;
  }

  /// Looks for a device, unless `mode` is {@link GpuMode#OFF}.
  ///
  /// @param natives a folder for native libraries that only this user can read and write; made if
  ///   it is not there
  /// @param onLost told once, by the thread whose call met it, when the device fails
  /// @throws DeviceUnavailableException if `mode` is {@link GpuMode#REQUIRE} and there is none
  public static Gpu open(GpuMode mode, Path natives, Consumer<DeviceLostException> onLost)
      throws DeviceUnavailableException {
    if (mode == GpuMode.OFF) {
      return new Gpu(null, BatchHasher.cpu(), "switched off");
    }
    try {
      return over(CudaHashDevice.open(natives), onLost);
    } catch (DeviceUnavailableException e) {
      if (mode == GpuMode.REQUIRE) {
        throw e;
      }
      return new Gpu(null, BatchHasher.cpu(), String.valueOf(e.getMessage()));
    }
  }

  /// The same over a device that is open.
  ///
  /// @param device closed with this
  public static Gpu over(HashDevice device, Consumer<DeviceLostException> onLost) {
    return new Gpu(device, new DeviceBatchHasher(device, onLost), "");
  }

  /// Valid until this is closed.
  public BatchHasher hasher() {
    return hasher;
  }

  /// What hashes in bulk now.
  public Support support() {
    return device == null ? new Support.Unsupported(why) : hasher.support();
  }

  /// Its name and what is known of it, also after it was lost; empty if there is none.
  public Optional<String> device() {
    return Optional.ofNullable(device).map(HashDevice::name);
  }

  /// The same in parts.
  public Optional<DeviceProperties> properties() {
    return device instanceof CudaHashDevice cuda
        ? Optional.of(cuda.properties())
        : Optional.empty();
  }

  /// The device itself, without a threshold and without the CPU in its place; empty if there is
  /// none.
  public Optional<HashDevice> hashDevice() {
    return Optional.ofNullable(device);
  }

  /// What runs kernels of other work on the device; empty if there is none or it was lost. Valid
  /// until this is closed.
  public Optional<KernelDevice> kernels() {
    return device instanceof CudaHashDevice cuda ? cuda.kernels() : Optional.empty();
  }

  /// Gives the device back. The hasher's calls under way end first; the {@link KernelDevice} has
  /// none.
  @Override
  public void close() {
    if (device != null) {
      device.close();
    }
  }
}
