package io.tallystick.storage.object;

import io.tallystick.storage.stream.CorruptStreamException;
import java.io.IOException;
import java.util.Optional;

/// Copies objects of one store into another, so that rows can name their new places.
@FunctionalInterface
public interface ObjectMove {
  /// @return the object as the other store has it, durable; empty if it is deleted
  /// @throws CorruptStreamException if its bytes are not those of its name
  Optional<KeptObject> move(KeptObject object) throws IOException, CorruptStreamException;

  /// Copies what one store has into another one.
  static ObjectMove between(ObjectStore from, ObjectStore to) {
    return object -> {
      Optional<StoredObject> found = from.open(object);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      try (StoredObject stored = found.get();
          ObjectWriter copy = to.create()) {
        stored.copyTo(copy::write);
        return Optional.of(copy.finish());
      }
    };
  }
}
