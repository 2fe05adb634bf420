package io.tallystick.storage.object;

import io.tallystick.model.Bytes;
import io.tallystick.storage.disk.DiskFullException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Objects: immutable strings of bytes, named by their SHA-256. Whoever keeps a name somewhere
/// makes the object before that is durable, and deletes it where nothing names it any more.
/// Thread-safe; every method may block on a disk or on other machines.
public interface ObjectStore {
  /// Begins an object.
  ///
  /// @throws DiskFullException as each write may
  ObjectWriter create() throws IOException;

  /// @return empty if it is deleted
  Optional<StoredObject> open(KeptObject object) throws IOException;

  /// Deletes an object, durably on return. Does nothing if there is none.
  void delete(KeptObject object) throws IOException;

  /// Whether other machines read the same objects, so that what a machine keeps of them besides is
  /// a copy.
  boolean isShared();

  /// What there is, also unfinished if it is shared.
  List<Held> list() throws IOException;

  /// As {@link #list} has it.
  ///
  /// @throws IOException if it is none of this store
  Bytes idOf(KeptObject object) throws IOException;

  /// Deletes what there is, durably on return.
  void delete(Held held) throws IOException;

  /// Something that a store holds.
  ///
  /// @param id by which the store finds it
  /// @param epoch of the claim under which it was made; 0 if nobody else can have made it
  record Held(Bytes id, long epoch) {}
}
