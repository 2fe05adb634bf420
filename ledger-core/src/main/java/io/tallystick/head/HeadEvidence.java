package io.tallystick.head;

import io.tallystick.model.Bytes;

/// The signed statement behind a head, complete in itself: a third party can check it with the
/// service's public keys and nothing else.
public sealed interface HeadEvidence {
  /// The statement's own encoding. The first byte tells the two apart: 0xd2 begins a COSE_Sign1,
  /// and never a note.
  Bytes encoded();

  /// A C2SP checkpoint, as it was signed.
  record CheckpointNote(Bytes encoded) implements HeadEvidence {}

  /// The statement that a receipt's signature signs: the receipt's COSE_Sign1 with the root
  /// attached as payload and without its inclusion proof.
  record ReceiptStatement(Bytes encoded) implements HeadEvidence {}
}
