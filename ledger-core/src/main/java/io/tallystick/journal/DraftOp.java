package io.tallystick.journal;

import io.tallystick.model.Bytes;

/// An operation on the state before its value is committed to: what a client wants to write.
public sealed interface DraftOp {
  /// 1 to 256 bytes; cannot be erased later.
  Bytes key();

  Precondition precondition();

  /// Writes a value.
  record Put(Bytes key, Bytes value, Precondition precondition) implements DraftOp {}

  /// Deletes the key.
  record Delete(Bytes key, Precondition precondition) implements DraftOp {}

  static DraftOp put(Bytes key, Bytes value) {
    return new Put(key, value, new Precondition.None());
  }

  static DraftOp delete(Bytes key) {
    return new Delete(key, new Precondition.None());
  }

  /// The operation of this index in its request.
  ///
  /// @param salt of the request
  default Op commit(Bytes salt, int index) {
    return switch (this) {
      case Put put ->
          new Op.Put(
              put.key,
              Commitments.value(salt, index, put.value),
              put.value.size(),
              put.precondition);
      case Delete delete -> new Op.Delete(delete.key, delete.precondition);
    };
  }
}
