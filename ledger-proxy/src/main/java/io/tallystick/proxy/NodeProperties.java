package io.tallystick.proxy;

import io.tallystick.hashing.GpuMode;
import io.tallystick.model.Authority;
import io.tallystick.node.NodeFolders;
import io.tallystick.node.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// The node: its name, its data and its hardware.
///
/// @param dataDir `tallystick.data-dir`: everything the service keeps, its keys among it; made if
///   absent. Default `data`, under the working directory
/// @param authority `tallystick.authority`: the public name of a new service, which its ledgers
///   carry for ever; an existing data directory keeps its own. Default `localhost`
/// @param keysDir `tallystick.keys-dir`: a folder with the service's keys, `note.pem` and
///   `receipt.pem`, in which none is ever made. Without one they are in `data-dir`, and the first
///   start makes them
/// @param gpu `tallystick.gpu`: whether a CUDA device hashes in bulk. `auto`: if there is one that
///   works; `off`: never; `require`: the service does not start without one. Default `auto`
/// @param diskStall `tallystick.disk-stall`: after which a disk that has not come back from one
///   operation makes the service not ready; 1s to 5m. Default 5s
/// @param block how large a block becomes and how long it waits
/// @param state what is kept of ledgers' states
@ConfigurationProperties(ServiceProperties.PREFIX)
public record NodeProperties(
    @DefaultValue(ServiceProperties.DEFAULT_DATA_DIR) String dataDir,
    @DefaultValue(ServiceProperties.DEFAULT_AUTHORITY) String authority,
    @Nullable String keysDir,
    @DefaultValue("auto") GpuMode gpu,
    @DefaultValue("5s") Duration diskStall,
    @NestedConfigurationProperty @DefaultValue BlockProperties block,
    @NestedConfigurationProperty @DefaultValue StateProperties state) {
  private static final Duration DISK_STALL_MIN = Duration.ofSeconds(1);
  private static final Duration DISK_STALL_MAX = Duration.ofMinutes(5);

  public NodeProperties {
    if (dataDir.isBlank()) {
      throw new IllegalArgumentException("tallystick.data-dir is empty");
    }
    try {
      new Authority(authority);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.authority: " + e.getMessage(), e);
    }
    if (diskStall.compareTo(DISK_STALL_MIN) < 0 || diskStall.compareTo(DISK_STALL_MAX) > 0) {
      throw new IllegalArgumentException(
          "tallystick.disk-stall is "
              + diskStall
              + ", want "
              + DISK_STALL_MIN.toSeconds()
              + " to "
              + DISK_STALL_MAX.toSeconds()
              + " s");
    }
    state.checkFits(Path.of(dataDir));
  }

  /// The defaults, but for the data directory.
  static NodeProperties in(Path dataDir) {
    return new NodeProperties(
        dataDir.toString(),
        ServiceProperties.DEFAULT_AUTHORITY,
        null,
        GpuMode.AUTO,
        NodeOptions.DISK_STALL_DEFAULT,
        BlockProperties.DEFAULT,
        StateProperties.DEFAULT);
  }

  NodeProperties withDiskStall(Duration stall) {
    return new NodeProperties(dataDir, authority, keysDir, gpu, stall, block, state);
  }

  Path dataPath() {
    return Path.of(dataDir);
  }

  NodeFolders folders() {
    return new NodeFolders(dataPath(), keysDir == null ? null : Path.of(keysDir));
  }

  NodeOptions options() {
    return new NodeOptions(gpu, diskStall, block.limits(), state.limits());
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.data-dir=" + dataDir);
    arguments.add("--tallystick.authority=" + authority);
    if (keysDir != null) {
      arguments.add("--tallystick.keys-dir=" + keysDir);
    }
    arguments.add("--tallystick.gpu=" + gpu.name().toLowerCase(Locale.ROOT));
    arguments.add("--tallystick.disk-stall=" + diskStall);
    arguments.addAll(block.arguments());
    arguments.addAll(state.arguments());
    return arguments;
  }
}
