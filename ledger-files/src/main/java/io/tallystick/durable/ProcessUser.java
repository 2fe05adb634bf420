package io.tallystick.durable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Who a process is to the file system, by Linux' `/proc`.
///
/// @param uid of the user that its files are opened as
/// @param gids of all its groups
record ProcessUser(int uid, Set<Integer> gids) {
  private static final Path STATUS = Path.of("/proc/self/status");

  /// The columns are real, effective, saved, and that of the file system (proc(5)).
  private static final int OF_FILES = 4;

  private static final Set<PosixFilePermission> GIVEN =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.GROUP_READ);

  ProcessUser {
    gids = Set.copyOf(gids);
  }

  /// This process; empty on a system without `/proc`.
  static Optional<ProcessUser> current() throws IOException {
    return Files.isReadable(STATUS)
        ? Optional.of(of(Files.readAllLines(STATUS)))
        : Optional.empty();
  }

  /// @param status the lines of `/proc/PID/status`
  static ProcessUser of(List<String> status) {
    Set<Integer> gids =
        Arrays.stream(columns(status, "Groups:"))
            .skip(1)
            .map(Integer::parseUnsignedInt)
            .collect(Collectors.toSet());
    gids.add(Integer.parseUnsignedInt(columns(status, "Gid:")[OF_FILES]));
    return new ProcessUser(Integer.parseUnsignedInt(columns(status, "Uid:")[OF_FILES]), gids);
  }

  private static String[] columns(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + name + " in " + STATUS))
        .strip()
        .split("\\s+", -1);
  }

  /// Whether a file is one that somebody else gives to this process to read: not its own, of one of
  /// its groups, and read by nobody beyond its owner and that group. So are the files of a Secret
  /// that Kubernetes mounts.
  ///
  /// @param writable whether this process can write the file
  boolean isGiven(int owner, int group, Set<PosixFilePermission> permissions, boolean writable) {
    return owner != uid && gids.contains(group) && GIVEN.containsAll(permissions) && !writable;
  }
}
