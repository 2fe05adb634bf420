package io.tallystick.proxy.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A list of the operator's in a file. It is read again when its file has changed; one that cannot
/// be read leaves the last that could in force. Thread-safe.
final class RereadFile<T> {
  private static final Logger LOG = LoggerFactory.getLogger(RereadFile.class);

  private final Path file;
  private final Reader<T> reader;

  private T list;
  private @Nullable Stamp stamp;

  /// Reads the whole list.
  @FunctionalInterface
  interface Reader<T> {
    T read(Path file) throws IOException;
  }

  /// Changes whenever the file's content was replaced in a way an editor or a mount does it.
  private record Stamp(FileTime modified, long bytes, @Nullable Object key) {
    static Stamp of(Path file) throws IOException {
      var attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    }
  }

  /// @throws IOException if it cannot be read now
  RereadFile(Path file, Reader<T> reader) throws IOException {
    this.file = file;
    this.reader = reader;
    // First: what changes behind it is read again.
    this.stamp = Stamp.of(file);
    this.list = reader.read(file);
  }

  synchronized T current() {
    Stamp now = null;
    try {
      now = Stamp.of(file);
      if (!now.equals(stamp)) {
        list = reader.read(file);
        LOG.info("Read {}: {}", file, list);
      }
    } catch (IOException e) {
      // Told once, not to everybody who comes until it is mended.
      if (stamp == null || !stamp.equals(now)) {
        LOG.error("{} cannot be read; what it said last stays in force", file, e);
      }
    }
    stamp = now;
    return list;
  }
}
