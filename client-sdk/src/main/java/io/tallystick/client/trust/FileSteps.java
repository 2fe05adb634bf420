package io.tallystick.client.trust;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The steps a durable file is made of, one system call or so each: a seam, so that a test can
/// crash between any two of them.
interface FileSteps {
  /// Creates or truncates `file` and writes `content`; nothing is on the disk yet.
  void write(Path file, byte[] content) throws IOException;

  /// The content of `file` is on the disk when this returns.
  void force(Path file) throws IOException;

  /// Replaces `to` by `from` in one step.
  void rename(Path from, Path to) throws IOException;

  /// The names in `directory` are on the disk when this returns.
  void forceDirectory(Path directory) throws IOException;

  Optional<byte[]> read(Path file) throws IOException;
}
