package io.tallystick.server.host;

import io.tallystick.storage.disk.Disk;
import io.tallystick.storage.disk.LocalDisk;
import io.tallystick.storage.disk.TieredDisk;
import io.tallystick.storage.forest.ForestStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;

/// The directory for files of closed partitions of states, if the operator has named one: its path
/// is the one line of a file in the data directory. Whatever opens the data directory finds it
/// there, and no start can forget it. Source: `docs/operations.md`, "A second disk".
final class ColdDirectory {
  /// In the data directory; made by the operator.
  static final String FILE = "cold.directory";

  private ColdDirectory() {}

  /// The data directory's disk, with the cold directory that it has.
  ///
  /// @param hot closed if this fails
  /// @throws IOException if the file names no directory, or not the one that was used before
  static Disk beside(Disk hot, Path dataDirectory) throws IOException {
    Path file = dataDirectory.resolve(FILE);
    Disk cold = null;
    try {
      if (!Files.exists(file)) {
        checkWhole(hot, file);
        return hot;
      }
      cold = LocalDisk.open(path(file));
      return TieredDisk.open(
          hot, cold, ForestStore.FOLDER, ForestStore::isPartition, new SecureRandom());
    } catch (IOException | RuntimeException e) {
      close(hot, e);
      if (cold != null) {
        close(cold, e);
      }
      throw e;
    }
  }

  private static void checkWhole(Disk hot, Path file) throws IOException {
    if (TieredDisk.isHot(hot)) {
      throw new IOException(file + " is missing, and this data directory has a cold directory");
    }
  }

  private static Path path(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file).stream().filter(line -> !line.isBlank()).toList();
    if (lines.size() != 1) {
      throw new IOException(
          String.format(Locale.ROOT, "%s has %d lines, want 1: a path", file, lines.size()));
    }
    try {
      Path path = Path.of(lines.getFirst().strip());
      if (path.isAbsolute() && Files.isDirectory(path)) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new IOException(file + " names no path: " + e.getMessage(), e);
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s names %s, want the absolute path of a directory",
            file,
            lines.getFirst()));
  }

  private static void close(Disk disk, Exception cause) {
    try {
      disk.close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
  }
}
