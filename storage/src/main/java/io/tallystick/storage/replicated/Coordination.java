package io.tallystick.storage.replicated;

import io.tallystick.model.Bytes;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A small tree of values that all machines share: what ZooKeeper gives. A path is `/a/b`; each
/// value has a version, 0 when it is created and one more at each put. Changes are ordered. What a
/// client reads is never older than its own last change that was answered, be it done or refused,
/// nor than what it has read before, but may be older than what others have written. Calls block.
/// Thread-safe.
public interface Coordination {
  /// The value at a path; empty if there is none.
  ///
  /// @throws IOException if it cannot be reached
  Optional<Versioned> read(String path) throws IOException;

  /// Names of the children of a path, in ascending order; none if there is no such path.
  ///
  /// @throws IOException if it cannot be reached
  List<String> children(String path) throws IOException;

  /// Makes all changes or none. It is not tried again here.
  ///
  /// @throws ChangeRefusedException if one of them cannot be; none is made
  /// @throws OutcomeUnknownException if it was sent and not answered
  /// @throws IOException if it could not be sent; none is made
  void commit(List<Change> changes) throws IOException;

  /// A value and its version.
  record Versioned(Bytes value, int version) {}

  /// One of the changes that are made together.
  sealed interface Change {
    String path();

    /// In a {@link Put}: whatever version there is.
    int ANY = -1;

    /// Changes nothing, and is refused unless the path has this version.
    record Check(String path, int version) implements Change {}

    /// A new path, whose parent must be there.
    ///
    /// @param ephemeral whether it goes when the session of its maker ends
    record Create(String path, Bytes value, boolean ephemeral) implements Change {}

    /// A new value of a path that has this version, or any if it is {@link #ANY}.
    record Put(String path, Bytes value, int version) implements Change {}

    /// The end of a path that has this version and no children.
    record Delete(String path, int version) implements Change {}
  }
}
