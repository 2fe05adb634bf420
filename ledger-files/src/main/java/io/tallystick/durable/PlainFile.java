package io.tallystick.durable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/// A file that came from somebody else, as it may be opened: a pipe would be waited for without
/// end, and a device may have no end. A link is followed.
public final class PlainFile {
  private PlainFile() {}

  /// @throws FileSystemException if it is not there, or is no plain file
  public static void check(Path file) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
    if (attributes.isDirectory()) {
      throw new FileSystemException(file.toString(), null, "is a folder, want a file");
    }
    if (!attributes.isRegularFile()) {
      throw new FileSystemException(
          file.toString(), null, "is no plain file, but a pipe, a socket or a device");
    }
  }

  /// @throws FileSystemException if it is not there, or is no plain file
  public static InputStream open(Path file) throws IOException {
    check(file);
    return Files.newInputStream(file);
  }
}
