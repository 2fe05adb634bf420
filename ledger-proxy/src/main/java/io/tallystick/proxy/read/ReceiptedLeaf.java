package io.tallystick.proxy.read;

import io.tallystick.model.Bytes;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.node.LedgerNode;

/// A leaf and its receipt.
///
/// @param receipt COSE_Sign1, tagged, under the head of the leaf's own block
public record ReceiptedLeaf(Bytes leaf, Bytes receipt) {
  /// For a caller whose access was checked.
  public static ReceiptedLeaf read(LedgerNode node, StrandId strand, long jsn)
      throws RequestRejectedException {
    return new ReceiptedLeaf(
        node.journal(strand, jsn, false).leaf(), Bytes.wrap(node.receipt(strand, jsn)));
  }
}
