package io.tallystick.storage.disk;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// One data directory. Names are relative, `/`-separated, and never leave the directory. A file or
/// rename is durable only after {@link #forceDirectory} of the directory that holds it.
/// Thread-safe; every call may block, so callers are platform threads of ours, never interrupted
/// ones.
public interface Disk extends AutoCloseable {
  /// Opens a file for reading and writing, creating it (and its directories) if it is not there.
  /// Directories so created are durable at once. A file that is there and may not be written can be
  /// read all the same; its writes fail.
  DiskFile open(String name) throws IOException;

  /// The same for a file that is there.
  default Optional<DiskFile> openIfThere(String name) throws IOException {
    return exists(name) ? Optional.of(open(name)) : Optional.empty();
  }

  boolean exists(String name) throws IOException;

  /// Names (last element only) of the files and directories in `directory` (`""`: the root),
  /// sorted; empty when there is none.
  List<String> list(String directory) throws IOException;

  /// Atomically replaces `to` if it exists. A file open under either name must not be written any
  /// more: a long write may go to whatever has its name then.
  void rename(String from, String to) throws IOException;

  /// Does nothing if the file is not there.
  void delete(String name) throws IOException;

  /// Forces the entries of `directory` (`""`: the root).
  void forceDirectory(String directory) throws IOException;

  /// Bytes this process may still write here.
  long freeBytes() throws IOException;

  /// Writes something, forces it and takes it away again.
  ///
  /// @throws IOException if the disk takes no writes
  default void probe() throws IOException {}

  /// The operation that has been going on longest; empty if there is none or nobody watches.
  default Optional<DiskOperation> oldestOperation() {
    return Optional.empty();
  }

  @Override
  void close() throws IOException;
}
