package io.tallystick.storage.meta;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/// All rows of a meta store as of one moment, in files that never change: whoever puts them into a
/// folder of their own opens the same rows there. Thread-safe.
public interface MetaCheckpoint extends AutoCloseable {
  /// A file of the rows.
  ///
  /// @param name without a folder
  record RowFile(String name, long bytes) {}

  List<RowFile> files();

  /// Reads from `position` until `into` is full or the file ends.
  void read(String name, long position, ByteBuffer into) throws IOException;

  /// Deletes the files; the meta store stays as it is.
  @Override
  void close() throws IOException;
}
