package io.tallystick.client.state;

import io.tallystick.journal.DraftOp;
import io.tallystick.journal.Precondition;
import io.tallystick.model.Bytes;
import io.tallystick.model.Digest;
import io.tallystick.model.Jsn;
import org.jspecify.annotations.Nullable;

/// One write to a ledger's state, and what must hold of its key for it to be carried out. A write
/// has one condition at most.
///
/// @param op what is written
/// @param ifValue the value that the key must have; null if that is no condition. `op` has none
///   then: it gets the commitment of the entry that is read and holds this value
public record StateWrite(DraftOp op, @Nullable Bytes ifValue) {
  /// @param key 1 to 256 bytes; it cannot be erased later, so a key that names a person should be a
  ///   pseudonym
  public static StateWrite put(Bytes key, Bytes value) {
    return new StateWrite(DraftOp.put(key, value), null);
  }

  /// A write of a text to a key that is a text, both in UTF-8.
  public static StateWrite put(String key, String value) {
    return put(Bytes.utf8(key), Bytes.utf8(value));
  }

  public static StateWrite delete(Bytes key) {
    return new StateWrite(DraftOp.delete(key), null);
  }

  public static StateWrite delete(String key) {
    return delete(Bytes.utf8(key));
  }

  /// Only if the key has no value: it was never written, or it was deleted.
  public StateWrite ifAbsent() {
    return with(new Precondition.IfAbsent());
  }

  /// Only if this journal wrote what the key holds now, be it a value or a deletion.
  public StateWrite ifVersion(Jsn jsn) {
    return with(new Precondition.IfVersion(jsn));
  }

  /// Only if the key holds the value with this commitment; every put has its own.
  public StateWrite ifCommit(Digest valueCommit) {
    return with(new Precondition.IfCommit(valueCommit));
  }

  /// Only if the key holds this value, from when the client reads it until it is written.
  public StateWrite ifValue(Bytes value) {
    checkFree();
    return new StateWrite(op, value);
  }

  public StateWrite ifValue(String value) {
    return ifValue(Bytes.utf8(value));
  }

  private StateWrite with(Precondition condition) {
    checkFree();
    return new StateWrite(on(op, condition), null);
  }

  private void checkFree() {
    if (ifValue != null || !(op.precondition() instanceof Precondition.None)) {
      throw new IllegalArgumentException("the write of " + op.key() + " has a condition already");
    }
  }

  /// The operation that writes only where `commit` is the value's.
  public DraftOp committed(Digest commit) {
    return on(op, new Precondition.IfCommit(commit));
  }

  private static DraftOp on(DraftOp op, Precondition condition) {
    return switch (op) {
      case DraftOp.Put put -> new DraftOp.Put(put.key(), put.value(), condition);
      case DraftOp.Delete delete -> new DraftOp.Delete(delete.key(), condition);
    };
  }
}
