package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// Makes files and directories that only the service's own user may read, since they hold clients'
/// data. Existing ones keep their permissions; a file system without permissions is left as it is.
public final class OwnerOnly {
  private OwnerOnly() {}

  /// Opens a file; one that is made for it gets mode 0600.
  static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, attributes(file, "rw-------"));
  }

  /// Makes a directory and those above it, as far as they are missing, with mode 0700.
  public static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, attributes(directory, "rwx------"));
  }

  private static FileAttribute<?>[] attributes(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
