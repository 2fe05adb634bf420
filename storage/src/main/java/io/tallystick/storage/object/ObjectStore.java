package io.tallystick.storage.object;

import io.tallystick.model.Digest;
import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Objects: immutable strings of bytes, named by their SHA-256. Who keeps a name somewhere makes
/// the object before that is durable, and deletes it where nothing names it any more. Thread-safe;
/// every method may block on a disk.
public interface ObjectStore {
  /// Begins an object.
  ///
  /// @throws DiskFullException as each write may
  ObjectWriter create() throws IOException;

  /// @return empty if there is no such object: it was never made, or is deleted
  Optional<StoredObject> open(Digest name) throws IOException;

  /// Deletes an object, durably on return. Does nothing if there is none.
  void delete(Digest name) throws IOException;

  /// All names, ascending.
  List<Digest> list() throws IOException;
}
