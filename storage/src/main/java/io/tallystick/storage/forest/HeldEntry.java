package io.tallystick.storage.forest;

import io.tallystick.merkle.forest.StateEntry;
import io.tallystick.model.Bytes;
import io.tallystick.storage.stream.Location;
import org.jspecify.annotations.Nullable;

/// An entry of the state, and where the stream holds its value.
///
/// @param value of the value's first byte, in the payload item of the entry's journal; not hashed;
///   null in a tombstone
public record HeldEntry(StateEntry entry, @Nullable Location value) {
  public Bytes key() {
    return entry.key();
  }
}
