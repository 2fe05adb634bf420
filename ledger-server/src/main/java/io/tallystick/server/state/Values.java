package io.tallystick.server.state;

import io.tallystick.node.ReadValue;
import io.tallystick.storage.forest.HeldEntry;
import java.io.IOException;
import java.util.List;

/// Where the values of a state's entries are read. Each is compared with the size and commitment of
/// its entry; one that does not fit is damaged, and says nothing of others.
interface Values {
  /// How many of the first entries one page has the values of: at least one, if there is any.
  int countOfPage(List<HeldEntry> entries) throws IOException;

  /// The values of entries that have one, in their order.
  List<ReadValue> read(List<HeldEntry> entries) throws IOException;

  default ReadValue read(HeldEntry entry) throws IOException {
    return read(List.of(entry)).getFirst();
  }
}
