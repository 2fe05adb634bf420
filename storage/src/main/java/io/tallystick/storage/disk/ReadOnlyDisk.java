package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/// A directory of the local file system that is only read: nobody holds it alone, and it may lie
/// where nothing can be written. What would change it fails.
public final class ReadOnlyDisk implements Disk {
  private final Path root;

  /// @throws NotDirectoryException if it is none
  public ReadOnlyDisk(Path root) throws NotDirectoryException {
    if (!Files.isDirectory(root)) {
      throw new NotDirectoryException(root.toString());
    }
    this.root = root;
  }

  @Override
  public DiskFile open(String name) throws IOException {
    Path path = root.resolve(DiskName.checkFile(name));
    return LocalFile.readOnly(
        name, FileChannel.open(path, StandardOpenOption.READ), path, refused());
  }

  private static IOException refused() {
    return new IOException("the directory is only read");
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(root.resolve(DiskName.checkFile(name)));
  }

  @Override
  public List<String> list(String directory) throws IOException {
    Path path = directory.isEmpty() ? root : root.resolve(DiskName.checkDirectory(directory));
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    throw refused();
  }

  @Override
  public void delete(String name) throws IOException {
    throw refused();
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    throw refused();
  }

  @Override
  public long freeBytes() {
    return 0;
  }

  @Override
  public void close() {}
}
