package io.tallystick.server.seal;

import io.tallystick.model.Digest;
import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.function.LongPredicate;

/// An index that knows the journals of a clue.
public interface ClueEntries extends BlockIndex {
  /// Visits the jsns from `first` to `last`, both included, ascending. A clue that was deleted, or
  /// never named, has them, or none, as any other.
  ///
  /// @param jsn says whether the visit goes on
  void visit(Digest clueId, long first, long last, LongPredicate jsn)
      throws IOException, CorruptStreamException;
}
