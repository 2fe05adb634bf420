package io.tallystick.server.read;

import io.tallystick.model.Bytes;
import io.tallystick.server.frame.PayloadItem;
import io.tallystick.storage.stream.Location;

/// The operations of a journal and the payload item that holds their values.
///
/// @param at where the item lies
/// @param item salt, body and checksum, which was right
/// @param ops as {@link io.tallystick.journal.Ops} encodes them; compared with nothing yet
public record StoredWrites(Location at, Bytes item, Bytes ops) {
  public Bytes salt() {
    return item.slice(0, PayloadItem.SALT_BYTES);
  }
}
