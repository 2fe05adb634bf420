package io.tallystick.audit.replay;

import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import org.jspecify.annotations.Nullable;

/// An operation of a journal as the replay of the state takes it.
///
/// @param key 1 to 256 bytes
/// @param valueCommit null if the key is deleted
/// @param valueSizeBytes 0 if the key is deleted
public record StateOp(
    Bytes key, @Nullable Digest valueCommit, int valueSizeBytes, Condition condition) {

  /// The precondition of an operation: what must hold of its key.
  public sealed interface Condition {
    /// Nothing.
    record Always() implements Condition {}

    /// It has no entry, or that of a deletion.
    record Absent() implements Condition {}

    /// Its newest entry is of this journal.
    record Version(long jsn) implements Condition {}

    /// Its newest entry has this commitment.
    record Commit(Digest valueCommit) implements Condition {}
  }
}
