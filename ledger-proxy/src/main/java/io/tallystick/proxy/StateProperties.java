package io.tallystick.proxy;

import io.tallystick.node.StateLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/// What is kept of ledgers' states, against disk and memory. Source: ViDB 5.2.
///
/// @param versions `tallystick.state.versions`: older versions of each state that are kept on the
///   disk, 1 to 10000. Default 40
/// @param versionsMegabytes `tallystick.state.versions-megabytes`: the most that these alone take
///   on the disk, for each state, in MiB. Without one as much as the newest version
/// @param replayOperations `tallystick.state.replay-operations`: operations between two versions,
///   1000 to 100000000. A read of a height in between carries them out first. Default 200000
/// @param cacheMegabytes `tallystick.state.cache-megabytes`: memory for nodes of all states, in
///   MiB, half of the heap at most. Without one a twelfth of the heap, 32 at least
public record StateProperties(
    @DefaultValue("40") int versions,
    @Nullable Long versionsMegabytes,
    @DefaultValue("200000") int replayOperations,
    @Nullable Long cacheMegabytes) {
  static final StateProperties DEFAULT =
      new StateProperties(
          StateLimits.DEFAULT.versions(), null, StateLimits.DEFAULT.replayOperations(), null);

  private static final long MEGABYTE = 1 << 20;
  private static final long MEGABYTES_MAX = Long.MAX_VALUE / MEGABYTE;

  public StateProperties {
    check("versions", () -> limits(versions, null, StateLimits.REPLAY_MIN, null));
    check("versions-megabytes", () -> limits(1, versionsMegabytes, StateLimits.REPLAY_MIN, null));
    check("replay-operations", () -> limits(1, null, replayOperations, null));
    check("cache-megabytes", () -> limits(1, null, StateLimits.REPLAY_MIN, cacheMegabytes));
  }

  private static void check(String name, Runnable made) {
    try {
      made.run();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("tallystick.state." + name + ": " + e.getMessage(), e);
    }
  }

  private static StateLimits limits(
      int versions, @Nullable Long versionsMegabytes, int replay, @Nullable Long cacheMegabytes) {
    return new StateLimits(versions, bytes(versionsMegabytes), replay, bytes(cacheMegabytes));
  }

  private static OptionalLong bytes(@Nullable Long megabytes) {
    if (megabytes == null) {
      return OptionalLong.empty();
    }
    if (megabytes < 1 || megabytes > MEGABYTES_MAX) {
      throw new IllegalArgumentException(megabytes + " MiB, want 1 to " + MEGABYTES_MAX);
    }
    return OptionalLong.of(megabytes * MEGABYTE);
  }

  StateLimits limits() {
    return limits(versions, versionsMegabytes, replayOperations, cacheMegabytes);
  }

  /// @throws IllegalArgumentException if the cache would take more than half of the heap, or the
  ///   disk of a data directory is smaller than the older versions may become
  void checkFits(Path dataDirectory) {
    long cacheMax = Runtime.getRuntime().maxMemory() / 2 / MEGABYTE;
    if (cacheMegabytes != null && cacheMegabytes > cacheMax) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "tallystick.state.cache-megabytes: %d MiB, want at most %d, half of the heap",
              cacheMegabytes,
              cacheMax));
    }
    OptionalLong wanted = bytes(versionsMegabytes);
    Path there = dataDirectory.toAbsolutePath();
    while (there != null && !Files.isDirectory(there)) {
      there = there.getParent();
    }
    if (wanted.isEmpty() || there == null) {
      return;
    }
    try {
      long total = Files.getFileStore(there).getTotalSpace();
      if (total > 0 && wanted.getAsLong() > total) {
        throw new IllegalArgumentException(
            "tallystick.state.versions-megabytes: "
                + versionsMegabytes
                + " MiB, the disk of "
                + dataDirectory
                + " has "
                + total / MEGABYTE);
      }
    } catch (IOException _) {
      // The directory is opened later, and says what is wrong with it.
    }
  }

  List<String> arguments() {
    List<String> arguments = new ArrayList<>();
    arguments.add("--tallystick.state.versions=" + versions);
    arguments.add("--tallystick.state.replay-operations=" + replayOperations);
    if (versionsMegabytes != null) {
      arguments.add("--tallystick.state.versions-megabytes=" + versionsMegabytes);
    }
    if (cacheMegabytes != null) {
      arguments.add("--tallystick.state.cache-megabytes=" + cacheMegabytes);
    }
    return arguments;
  }
}
