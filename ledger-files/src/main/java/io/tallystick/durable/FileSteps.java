package io.tallystick.durable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The steps a durable file is made of, one system call or so each: a seam, so that a test can
/// crash between any two of them.
public interface FileSteps {
  /// Creates or truncates `file` and writes `content`; nothing is on the disk yet.
  void write(Path file, byte[] content) throws IOException;

  /// The content of `file` is on the disk when this returns.
  void force(Path file) throws IOException;

  /// Replaces `to` by `from` in one step.
  void rename(Path from, Path to) throws IOException;

  /// The names in `directory` are on the disk when this returns.
  void forceDirectory(Path directory) throws IOException;

  Optional<byte[]> read(Path file) throws IOException;

  /// Opens a file that is there, to read and to write parts of it.
  OpenFile open(Path file) throws IOException;

  /// A file kept open. One thread at a time.
  interface OpenFile extends AutoCloseable {
    /// All of it.
    byte[] read() throws IOException;

    /// Overwrites a part; it is on the disk when this returns.
    void write(int position, byte[] part) throws IOException;

    /// Whether `file` is still the name of what was opened.
    boolean isStill(Path file) throws IOException;

    @Override
    void close() throws IOException;
  }
}
