package io.tallystick.server.seal;

import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.function.LongConsumer;

/// An index that knows the journals of a clue.
public interface ClueEntries extends BlockIndex {
  /// Visits the jsns from `first` to `last`, both included, ascending. A clue that was deleted, or
  /// never named, has them, or none, as any other.
  void visit(Digest clueId, long first, long last, LongConsumer jsn)
      throws IOException, CorruptStreamException;
}
