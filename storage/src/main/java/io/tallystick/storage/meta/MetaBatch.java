package io.tallystick.storage.meta;

import io.tallystick.model.Bytes;
import java.util.ArrayList;
import java.util.List;

/// Row changes to be written at once, applied in order. Not thread-safe.
public final class MetaBatch {
  /// One change of one row.
  public sealed interface Change {
    Bytes key();

    /// Sets the row.
    record Put(Bytes key, Bytes value) implements Change {}

    /// Removes the row if it is there.
    record Delete(Bytes key) implements Change {}
  }

  private final List<Change> changes = new ArrayList<>();

  public MetaBatch put(Bytes key, Bytes value) {
    changes.add(new Change.Put(key, value));
    return this;
  }

  public MetaBatch delete(Bytes key) {
    changes.add(new Change.Delete(key));
    return this;
  }

  public List<Change> changes() {
    return List.copyOf(changes);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }
}
