package io.tallystick.storage.forest;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;

/// Where the pages of a partition lie. Thread-safe.
sealed interface PageSource permits SlotPages, PartFile {
  /// Tells its addresses from those of other sources.
  long id();

  /// Whether the partition may have a key; false only if it has not.
  boolean mayHold(SoughtKey key) throws IOException, CorruptStreamException;

  /// @throws CorruptStreamException if there is no page at the address that was written to it
  ForestPage read(long address) throws IOException, CorruptStreamException;

  /// Keeps what a reader may ask for, until it is {@link #release released}.
  ///
  /// @return whether it still is there
  boolean retain();

  void release();

  /// File and offset of a page, for a message about damage.
  CorruptStreamException damage(long address, String what);
}
