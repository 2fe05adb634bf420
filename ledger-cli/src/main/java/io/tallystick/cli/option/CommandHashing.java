package io.tallystick.cli.option;

import io.tallystick.cli.process.TemporaryFolder;
import io.tallystick.gpu.DeviceUnavailableException;
import io.tallystick.gpu.Gpu;
import io.tallystick.hashing.BatchHasher;
import io.tallystick.hashing.DeviceLostException;
import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Printable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The bulk hashing of a command, on a GPU or the CPU, until the command ends. The device's library
/// is unpacked into a temporary folder of the command's own.
public final class CommandHashing implements AutoCloseable {
  private final @Nullable TemporaryFolder natives;
  private final Gpu gpu;

  private CommandHashing(@Nullable TemporaryFolder natives, Gpu gpu) {
    this.natives = natives;
    this.gpu = gpu;
  }

  /// @param err is told when the device fails
  /// @throws DeviceUnavailableException if a GPU is required and there is none, or no folder can be
  ///   made for its library
  public static CommandHashing open(GpuMode mode, PrintWriter err)
      throws IOException, DeviceUnavailableException {
    TemporaryFolder natives = mode == GpuMode.OFF ? null : folder(mode);
    if (natives == null) {
      return new CommandHashing(null, Gpu.open(GpuMode.OFF, Path.of(""), _ -> {}));
    }
    try {
      return new CommandHashing(natives, Gpu.open(mode, natives.path(), lost -> tell(lost, err)));
    } catch (DeviceUnavailableException | RuntimeException e) {
      natives.close();
      throw e;
    }
  }

  private static @Nullable TemporaryFolder folder(GpuMode mode) throws DeviceUnavailableException {
    try {
      return TemporaryFolder.create("tally-native-");
    } catch (IOException e) {
      if (mode == GpuMode.REQUIRE) {
        throw new DeviceUnavailableException("no temporary folder for its library", e);
      }
      return null;
    }
  }

  private static void tell(DeviceLostException lost, PrintWriter err) {
    err.println(
        "tally: the GPU failed, and the CPU goes on: "
            + Printable.of(String.valueOf(lost.getMessage())));
    err.flush();
  }

  public BatchHasher hasher() {
    return gpu.hasher();
  }

  @Override
  public void close() throws IOException {
    gpu.close();
    if (natives != null) {
      natives.close();
    }
  }
}
