package io.tallystick.storage.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A directory of the local file system, held alone: opening takes the {@link DataDirectoryLock}.
/// What is made in it only its owner may read.
public final class LocalDisk implements Disk {
  private static final String PROBE = "probe";

  private final Path root;
  private final DataDirectoryLock lock;

  private LocalDisk(Path root, DataDirectoryLock lock) {
    this.root = root;
    this.lock = lock;
  }

  /// Opens `root`, creating it if needed.
  ///
  /// @throws IOException if another process holds it; the message names it
  public static LocalDisk open(Path root) throws IOException {
    Path absolute = root.toAbsolutePath().normalize();
    createDirectories(absolute);
    return new LocalDisk(absolute, DataDirectoryLock.acquire(absolute));
  }

  @Override
  public DiskFile open(String name) throws IOException {
    Path path = resolve(DiskName.checkFile(name));
    createDirectories(directoryOf(path));
    try {
      FileChannel channel =
          OwnerOnly.open(
              path,
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
      return new LocalFile(name, channel, path);
    } catch (FileSystemException e) {
      if (!Files.exists(path)) {
        throw e;
      }
      return openToRead(name, path, e);
    }
  }

  @Override
  public Optional<DiskFile> openIfThere(String name) throws IOException {
    Path path = resolve(DiskName.checkFile(name));
    try {
      FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      return Optional.of(new LocalFile(name, channel, path));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (FileSystemException e) {
      return Optional.of(openToRead(name, path, e));
    }
  }

  /// Opens a file on a file system that takes no writes.
  private static DiskFile openToRead(String name, Path path, FileSystemException cause)
      throws IOException {
    try {
      return LocalFile.readOnly(name, FileChannel.open(path, StandardOpenOption.READ), path, cause);
    } catch (FileSystemException e) {
      cause.addSuppressed(e);
      throw cause;
    }
  }

  @Override
  public boolean exists(String name) {
    return Files.exists(resolve(DiskName.checkFile(name)));
  }

  @Override
  public List<String> list(String directory) throws IOException {
    Path path = resolve(DiskName.checkDirectory(directory));
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .map(entry -> entry.getFileName().toString())
          .filter(entry -> !(directory.isEmpty() && isOwn(entry)))
          .sorted()
          .toList();
    }
  }

  private static boolean isOwn(String entry) {
    return entry.equals(DataDirectoryLock.FILE_NAME) || entry.equals(PROBE);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path target = resolve(DiskName.checkFile(to));
    createDirectories(directoryOf(target));
    Files.move(
        resolve(DiskName.checkFile(from)),
        target,
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(resolve(DiskName.checkFile(name)));
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    Path path = resolve(DiskName.checkDirectory(directory));
    if (Files.exists(path)) {
      forceEntries(path);
    }
  }

  @Override
  public long freeBytes() throws IOException {
    return Files.getFileStore(root).getUsableSpace();
  }

  @Override
  public void probe() throws IOException {
    Path probe = root.resolve(PROBE);
    try (FileChannel channel =
        OwnerOnly.open(probe, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE))) {
      channel.write(ByteBuffer.allocate(1));
      channel.force(true);
    }
    Files.delete(probe);
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }

  private Path resolve(String name) {
    return name.isEmpty() ? root : root.resolve(name);
  }

  private static Path directoryOf(Path path) {
    Path parent = path.getParent();
    return parent == null ? path : parent;
  }

  /// Creates what is missing and forces each new entry at once, so that a directory never vanishes
  /// from above a forced file.
  private static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    if (Files.exists(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    Path parent = directoryOf(directory);
    createDirectories(parent);
    OwnerOnly.createDirectories(directory);
    forceEntries(parent);
  }

  /// fsync of a directory: the only way on POSIX to make creations and renames survive.
  private static void forceEntries(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
