package io.tallystick.storage.array;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Where the bytes of an array are that are no longer in its tail.
sealed interface Backing permits MetaRows, FileRows {
  /// The name that an error gives.
  String name();

  /// Reads bytes that were saved (meta rows) or written (file) before.
  ///
  /// @param position in bytes from the array's start
  void read(long position, byte[] into, int offset, int count)
      throws IOException, CorruptStreamException;
}
